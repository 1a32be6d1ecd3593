// Generated from the contract by fetch-operations. Do not edit.
export { LibraryError, type LibraryOptions, type ErrorCode } from "./api.ts";
export type * from "./calls.ts";
export { createLibrary, type Library } from "./client.ts";
export type * from "./names.ts";
export { servers } from "./servers.ts";
export type { components, operations, paths } from "./schema.ts";
