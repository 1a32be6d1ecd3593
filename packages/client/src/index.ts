/** A client of the petstore service. */
export type { Call } from "./call.ts";
export type { ContractCheck } from "./contract-check.ts";
export type * from "./generated/calls.ts";
export type * from "./generated/names.ts";
export type { components, operations, paths } from "./generated/schema.ts";
export type { OperationId } from "./operation.ts";
export type { CallLimits, CallOptions, Deprecation, PetstoreOptions, Retry, RetryOptions } from "./options.ts";
export type { Items, Page } from "./pages.ts";
export { type Contract, createPetstore, type Petstore } from "./petstore.ts";
export { PetstoreError } from "./petstore-error.ts";
export type { Data, Failure, FailureCode, FailureError, Result } from "./result.ts";
