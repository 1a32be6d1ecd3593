/** The parts of the service that the benchmark starts. */
export { readConfig } from "../src/config.ts";
export { createLogger, inBatches } from "@platform/service/request-log";
export { start } from "../src/server.ts";
