/** The petstore's contract: every type of it by name, its version and its hash. The document itself is `@petstore/contract/document`. */
export type * from "./generated/names.ts";
export type { operations as HandledOperations } from "./generated/handled.ts";
export type { components, operations, paths } from "./generated/schema.ts";
export type { OperationId, OperationInput, OperationOutput } from "./operation.ts";
export { hash, scopes, version } from "./generated/facts.ts";
