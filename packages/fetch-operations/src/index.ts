/** The runtime of generated clients. */
export type { Api, ErrorFormat } from "./api.ts";
export { call, raw, send } from "./call/call.ts";
export { createClient, type PathClient } from "./client.ts";
export type { Connection, Part } from "./call/exchange.ts";
export { connectTo, connectWith, fillServer, userAgents } from "./connection.ts";
export { type DeclaredError, type ErrorClass, errorOfStatus, OperationError } from "./operation-error.ts";
export type { DeclaredDeprecation, Operation, OperationDescription, PagedOperation, Pagination } from "./operation.ts";
export type {
  CallLimits,
  CallOptions,
  ClientOptions,
  Deprecation,
  RequestEvent,
  ResponseEvent,
  Retry,
  RetryOptions,
} from "./options.ts";
export { deprecations, hooks, idleTimeouts, ownWrites, retries } from "./call/call-parts.ts";
export type { Fetch } from "./fetch.ts";
export { linkTo } from "./pages/link.ts";
export { followCursor, followLink, followNumber, followOffset } from "./pages/follow.ts";
export { paginate } from "./pages/pages.ts";
export { anyError, errorFields } from "./error-format.ts";
export { bodyTypes, writeAny, writeBigJson, writeJson, writeRaw } from "./request/body.ts";
export { type FilePart, multipart, urlencoded } from "./request/forms.ts";
export { requestPartsOf } from "./request/request-parts.ts";
export { jsonParameter, styled, styledHeader } from "./parts/styles.ts";
export { type EventStream, readEvents, readTextEvents, type ServerSentEvent } from "./response/events.ts";
export { mediaTypes } from "./response/media-types.ts";
export { readJson } from "./response/read-json.ts";
export {
  type DateType,
  type Shape,
  type Shapes,
  typedEvents,
  typedJson,
  typedLines,
  typedSequence,
  typedValue,
} from "./response/typed-json.ts";
export { readAny, readBlob, readLines, readSequence, readString } from "./response/readers.ts";
export type {
  Call,
  DataOf,
  EmptyError,
  ErrorResponse,
  ErrorStatus,
  Failure,
  FailureCode,
  FailureError,
  Items,
  Page,
  ResponseStatus,
  StatusOf,
  Success,
  SuccessOfType,
  UndeclaredError,
} from "./result.ts";
export {
  type AuthorizationCodeOptions,
  beginLogin,
  clientCredentials,
  type ClientCredentialsOptions,
  finishLogin,
  type OAuthClient,
  type PendingLogin,
  refreshTokens,
  type RefreshTokensOptions,
  type Tokens,
} from "./parts/oauth2.ts";
export { logTo, type Logger, type LogLevel } from "./parts/log.ts";
export { apiKey, basic, bearer, type BasicCredential, type Credential, mutualTls } from "./parts/authentication.ts";
export type { BinaryBody, Fields, In, ItemOf, Multipart, Unconverted } from "./types.ts";
