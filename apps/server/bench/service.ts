/** What the benchmark starts of the service. */
export { readConfig } from "../src/config.ts";
export { createLogger, inBatches } from "../src/observability/request-log.ts";
export { start } from "../src/server.ts";
