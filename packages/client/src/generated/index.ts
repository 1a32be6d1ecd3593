// Generated from the contract by fetch-operations. Do not edit.
export { PetstoreError, type PetstoreOptions, type ErrorCode } from "./api.ts";
export type * from "./calls.ts";
export { createPetstore, type Petstore } from "./client.ts";
export type * from "./names.ts";
export { servers } from "./servers.ts";
export type { components, operations, paths } from "./schema.ts";
