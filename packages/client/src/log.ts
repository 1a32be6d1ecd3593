import { type ClientOptions, type Logger, logTo as logEach, type LogLevel } from "fetch-operations";

export type { Logger, LogLevel } from "fetch-operations";

/**
 * Returns options that log each response and retry to a logger such as `console`, without the key, headers and bodies. Without a
 * level, the environment variable `PETSTORE_LOG` decides; without both, nothing is logged.
 */
export function logTo(logger: Logger, level?: LogLevel): Pick<ClientOptions, "onResponse" | "onRetry"> {
  return logEach(logger, { level, variable: "PETSTORE_LOG" });
}
