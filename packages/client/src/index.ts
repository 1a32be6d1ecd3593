/** The typed client of the petstore service. */
export type { Contract, ContractCheck } from "./contract-check.ts";
export type * from "./generated/calls.ts";
export type * from "./generated/names.ts";
export type { components, operations, paths } from "./generated/schema.ts";
export type { OperationId } from "./operation.ts";
export type { CallLimits, CallOptions, Deprecation, PetstoreOptions, Retry, RetryOptions } from "./options.ts";
export { createPetstore, type Petstore } from "./petstore.ts";
export { PetstoreError } from "./petstore-error.ts";
export type { Call, Data, Failure, FailureCode, FailureError, Items, Page, Result } from "./result.ts";
