/** The typed client of the petstore service. */
import { type ClientOptions, type Logger, type LogLevel, logTo as logEach } from "fetch-operations";

export * from "./generated/index.ts";
export type {
  CallLimits,
  CallOptions,
  Deprecation,
  Failure,
  FailureCode,
  FailureError,
  Logger,
  LogLevel,
  RequestEvent,
  ResponseEvent,
  Retry,
  RetryOptions,
} from "fetch-operations";
export type { Contract, ContractCheck } from "fetch-operations/contract-check";

/**
 * Returns options that log each response and retry to a logger such as `console`, without the key, headers and bodies. Without a
 * level, the environment variable `PETSTORE_LOG` decides; without both, nothing is logged.
 */
export function logTo(logger: Logger, level?: LogLevel): Pick<ClientOptions, "onResponse" | "onRetry"> {
  return logEach(logger, { level, variable: "PETSTORE_LOG" });
}
