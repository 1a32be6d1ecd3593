/** The typed client of the service. */
import { type ClientOptions, type Logger, type LogLevel, logTo as logEach } from "fetch-operations";
import { api } from "./generated/api.ts";

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
 * level, the environment variable named after the client decides, such as `MY_SHOP_LOG` for `MyShop`; without both, nothing is logged.
 */
export function logTo(logger: Logger, level?: LogLevel): Pick<ClientOptions, "onResponse" | "onRetry"> {
  const name = api.name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_").toUpperCase();
  return logEach(logger, { level, variable: `${name}_LOG` });
}
