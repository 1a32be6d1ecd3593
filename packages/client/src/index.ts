/** The typed client of the petstore service. */
export * from "./generated/index.ts";
export { type Logger, type LogLevel, logTo } from "./log.ts";
export type {
  CallLimits,
  CallOptions,
  Deprecation,
  Failure,
  FailureCode,
  FailureError,
  RequestEvent,
  ResponseEvent,
  Retry,
  RetryOptions,
} from "fetch-operations";
export type { Contract, ContractCheck } from "fetch-operations/contract-check";
