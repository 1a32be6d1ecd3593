/** What the benchmark starts of the service. */
export { readConfig } from "../src/config.ts";
export { createLogger, inBatches } from "@platform/service/request-log";
export { start } from "../src/server.ts";
