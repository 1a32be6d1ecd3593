import { createLogger } from "@platform/service/request-log";

/** A process that logs, and ends before the line would be written with others. */
createLogger("info").info("the last words");
process.exit(3);
