/** The parts of the service that the benchmark starts. */
export { readConfig } from "../../../apps/server/src/config.ts";
export { createLogger, inBatches } from "@platform/service/request-log";
export { start } from "../../../apps/server/src/server.ts";
