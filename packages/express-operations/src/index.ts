/** Typed Express handlers for the operations of an OpenAPI document. */
export type { OpenApiDocument } from "./document.ts";
export { entityTagOf, isNamed } from "./entity-tag.ts";
export { implement, type Implementation, type ImplementOptions } from "./implement.ts";
export type { UploadedFile } from "./multipart.ts";
export { normalizePath } from "./path-router.ts";
export { Problem, PROBLEM_CODES } from "./problem.ts";
export type { CheckedShare, Violation } from "./response-check.ts";
export type { Grant, SecurityHandler } from "./security.ts";
export type { StatusCode } from "./status.ts";
export type { Environment, Handler, Handlers, Input, Output } from "./types.ts";
