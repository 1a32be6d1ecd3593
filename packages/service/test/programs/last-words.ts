import { createLogger } from "../../src/observability/request-log.ts";

/** A process that logs, and exits before the batch with its line is written. */
createLogger("info").info("the last words");
process.exit(3);
