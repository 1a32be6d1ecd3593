import { createLogger } from "../../src/observability/request-log.ts";

/** A process that logs, and ends before the line would be written with others. */
createLogger("info").info("the last words");
process.exit(3);
