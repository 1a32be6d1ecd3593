/** The petstore's contract: its types by name, its version, hash and scopes. `@petstore/contract/document` exports the document. */
export type * from "./generated/names.ts";
export type { operations as HandledOperations } from "./generated/handled.ts";
export type { components, operations, paths } from "./generated/schema.ts";
export type { OperationId, OperationInput, OperationOutput } from "./operation.ts";
export { hash, scopes, version } from "./generated/metadata.ts";
