/** Typed Express handlers for the operations of an OpenAPI document. */
export type { OpenApiDocument } from "openapi-document";
export { isMatch, isNotModified } from "./response/conditions.ts";
export { entityTagOf } from "./response/respond.ts";
export { responseTagger } from "./response/response-tagger.ts";
export type { FileBody, FileOptions } from "./response/streamed-response.ts";
export { file } from "./streams/file.ts";
export { event, type EventFields, type ServerSentEvent, textEvent } from "./response/server-sent-events.ts";
export type { Format } from "./formats.ts";
export { implement, type Implementation, type ImplementOptions, type NotImplemented } from "./implement.ts";
export type { Locals } from "./road.ts";
export { nodeHandler, type NodeOptions } from "./node.ts";
export { mountPath } from "./request/path-router.ts";
export { normalizePath } from "openapi-document";
export type { BodyLimits } from "./request/limits.ts";
export type { FilePart, PartOf, UploadedFile, ValuePart } from "./request/parts.ts";
export {
  Problem,
  PROBLEM_CODES,
  type ProblemContext,
  problemDetails,
  type ProblemFormat,
  type ProblemResponse,
  type RequestFault,
} from "./problem.ts";
export type { CheckedShare, Violation } from "./response/response-check.ts";
export type { Grant, SecurityHandler } from "./security/security.ts";
export type { HandlerResponse, StatusCode } from "./response/handler-response.ts";
export type { OnResponse, ResponseFacts } from "./express.ts";
export type { Handler, Handlers, HandlerTypes, Hook, HookInput, Input, Output, StreamedInput } from "./types.ts";
export { isBodyStreamed } from "./streams/request-stream.ts";
export type { StreamOptions } from "./streams/stream-writer.ts";
