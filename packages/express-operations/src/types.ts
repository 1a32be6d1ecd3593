import type { ReadableStream } from "node:stream/web";
import type { Request, RequestHandler, Response as ExpressResponse } from "express";
import type { FileBody } from "./response/streamed-response.ts";
import type { ServerSentEvent } from "./response/server-sent-events.ts";
import type { BodyOf, Concrete, StreamedBody, UploadedFile } from "./request/parts.ts";
import type { HandlerResponse, StatusCode, StatusRange } from "./response/handler-response.ts";
import type { BodyLimits } from "./request/limits.ts";

/**
 * The types that an application adds to each handler's input: `caller` from its security handlers, `context` from its
 * `context` option.
 */
export interface HandlerTypes {
  /**
   * The caller of an operation that needs credentials. In types by openapi-typescript alone, the caller of each operation: use
   * `User | undefined` if there are operations without credentials.
   */
  caller?: unknown;
  context?: unknown;
}

/** One handler for each operation of openapi-typescript's `operations`, keyed by operationId, alone or with options. */
export type Handlers<Operations, Env extends HandlerTypes = HandlerTypes> = {
  [Id in keyof Operations]:
    | HandlerOf<Id, Operations, Env>
    | PlainHandler<HandlerOf<Id, Operations, Env>>
    | StreamedHandler<Id, Operations, Env>;
};

/** A handler with options. */
interface PlainHandler<OwnHandler> {
  handler: OwnHandler;
  /**
   * Whether the 200 of this GET operation depends on path, query and data alone, not on the caller or the time. With the option
   * `cache` of `implement`, such responses are cached until the data changes.
   */
  isCacheable?: boolean;
  streamsBody?: false;
}

/**
 * A handler that reads the request body while it arrives. A `multipart/form-data` body is in `parts`, any other in `body`, a
 * `Readable` of bytes.
 */
interface StreamedHandler<Id extends keyof Operations, Operations, Env extends HandlerTypes> {
  handler: [Exclude<BodyOf<Operations[Id]>, undefined>] extends [never]
    ? never
    : (input: StreamedInput<Operations[Id], Env>) => Returned<Id, Operations>;
  streamsBody: true;
  /** The limits of the operation in place of those of `implement`. */
  limits?: Partial<BodyLimits>;
}

/** The input of a hook: that of any handler. */
export interface HookInput<Env extends HandlerTypes = HandlerTypes> extends Pick<
  InputOf<0, [unknown], Env>,
  "operationId" | "requestPath" | "context" | "request" | "response" | "signal" | "lastEventId"
> {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  cookies: Record<string, unknown>;
  body?: unknown;
  contentType?: string | undefined;
  /** Undefined without credentials. */
  caller: Env["caller"] | undefined;
}

/**
 * A function around handlers, for transactions, spans or audit. `next` calls the handler, or the next hook, with the given fields
 * in place of those of the input, and resolves with its response. Returns that response or another one.
 */
export type Hook<Env extends HandlerTypes = HandlerTypes> = (
  input: HookInput<Env>,
  next: (
    fields?: Partial<Pick<HookInput<Env>, "body" | "caller" | "context" | "headers" | "query">>,
  ) => Promise<HandlerResponse>,
) => HandlerResponse | Promise<HandlerResponse>;

/** A hook around all handlers, or hooks around all and around those of tags and operations. */
export type Around<Operations, Env extends HandlerTypes> =
  | Hook<Env>
  | readonly (
      | Hook<Env>
      | { around: Hook<Env>; tags?: readonly string[]; operations?: readonly (keyof Operations)[] }
    )[];

/** Express middlewares by operationId. */
export type OperationMiddlewares<Operations> = {
  readonly [Id in keyof Operations]?: RequestHandler | readonly RequestHandler[];
};

/** Handles one operation. Declared errors are returned like successes. A thrown `Problem` is sent; any other error goes to Express's error handler. */
export type Handler<Operation, Env extends HandlerTypes = HandlerTypes> = HandlerOf<0, [Operation], Env>;

/**
 * The input of a handler after validation: parameters by location with their declared names, types and defaults, and
 * the body with its media type.
 */
export type Input<Operation, Env extends HandlerTypes = HandlerTypes> = InputOf<0, [Operation], Env>;

/** The input of a handler with `streamsBody`. */
export type StreamedInput<Operation, Env extends HandlerTypes = HandlerTypes> = Omit<
  Input<Operation, Env>,
  "body" | "contentType" | "files"
> &
  StreamedBody<Operation>;

/** The responses that a handler may return: one member for each declared status, with its body and headers. */
export type Output<Operation> = OutputOf<0, [Operation]>;

/** Takes the id and all operations, so that compiler messages print `HandlerOf<"getPet", operations, …>`. */
type HandlerOf<Id extends keyof Operations, Operations, Env extends HandlerTypes> = (
  input: InputOf<Id, Operations, Env>,
) => Returned<Id, Operations>;

type Returned<Id extends keyof Operations, Operations> = OutputOf<Id, Operations> | Promise<OutputOf<Id, Operations>>;

type InputOf<Id extends keyof Operations, Operations, Env extends HandlerTypes> = {
  operationId: string;
  path: ParametersIn<Operations[Id], "path">;
  query: ParametersIn<Operations[Id], "query">;
  headers: WithoutIgnored<ParametersIn<Operations[Id], "header">>;
  cookies: ParametersIn<Operations[Id], "cookie">;
  /** The path of the request as sent, without its query. Links to the same resource start with it. */
  requestPath: string;
  /** The caller that the last security handler found. Undefined without credentials. */
  caller: CallerOf<CredentialsOf<Operations[Id]>, Env["caller"]>;
  /** The callers by security scheme. There are several if the satisfied requirement has several schemes. */
  callers: CallersOf<CredentialsOf<Operations[Id]>, Env["caller"]>;
  context: Env["context"];
  /** Express's request. Its body is read already. `{ ...input }` copies none of `request`, `response` and `signal`. */
  request: Request;
  /** Express's response, for the fields that middlewares have set. Writing to it would break the response of the handler. */
  response: ExpressResponse;
  /** Aborts when the client has gone before the response has ended. */
  signal: AbortSignal;
  /** The `Last-Event-ID` of a client that continues an event stream. */
  lastEventId: string | undefined;
} & RequestBody<Operations[Id]>;

type OutputOf<Id extends keyof Operations, Operations> = {
  [Key in keyof Responses<Operations[Id]>]: ResponseOf<
    Id,
    StatusOf<Key, keyof Responses<Operations[Id]>>,
    Responses<Operations[Id]>[Key]
  >;
}[keyof Responses<Operations[Id]>];

/** The responses of an operation by their keys in the document. */
export type Responses<Operation> = Operation extends { responses: infer ByStatus } ? ByStatus : never;

/** Rejects keys of `Given` that `Operations` does not have. */
export type NoOthers<Given, Operations> = [Exclude<keyof Given, keyof Operations>] extends [never]
  ? unknown
  : { [Id in Exclude<keyof Given, keyof Operations>]: NotAnOperation<Id> };

/** A type without values, for the compiler's messages. */
interface NotAnOperation<Id> {
  [NO_VALUE]: Id;
}
declare const NO_VALUE: unique symbol;

/** The parameters of an operation in one location. */
export type ParametersIn<Operation, Place extends string> = Operation extends { parameters: infer Parameters }
  ? Place extends keyof Parameters
    ? Parameters[Place] extends undefined
      ? Empty
      : Exclude<Parameters[Place], undefined>
    : Empty
  : Empty;

/** The credentials of an operation by security scheme, as `withRequestDefaultsRequired` declares them, or unknown. */
type CredentialsOf<Operation> =
  ParametersIn<Operation, "header"> extends { Authorization?: infer Credentials } ? Credentials : unknown;

type CallerOf<Credentials, Caller> = Credentials extends Record<string, never> ? undefined : Caller;

/** With several alternatives, the request has the callers of one of them. */
type CallersOf<Credentials, Caller> = [Credentials] extends [object]
  ? Readonly<
      IsUnion<Credentials> extends true
        ? Partial<Record<SchemeIn<Credentials>, Caller>>
        : Record<SchemeIn<Credentials>, Caller>
    >
  : Readonly<Record<string, Caller>>;

type SchemeIn<Credentials> = Credentials extends Record<string, never> ? never : keyof Credentials;

/** Removes the headers whose declaration OpenAPI ignores. Handlers do not receive them. */
type WithoutIgnored<Headers> = {
  [Name in keyof Headers as Lowercase<Name & string> extends IgnoredHeader ? never : Name]: Headers[Name];
};

export type IgnoredHeader = "accept" | "content-type" | "authorization";

type RequestBody<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? ReceivedContent<Content>
  : Operation extends { requestBody?: infer Body }
    ? Exclude<Body, undefined> extends { content: infer Content }
      ? [Exclude<Body, undefined>] extends [never]
        ? NoContent
        : ReceivedContent<Content> | NoContent
      : NoContent
    : NoContent;

type ReceivedContent<Content> = {
  [MediaType in keyof Content]: { contentType: Concrete<MediaType>; body: Content[MediaType] } & Files<MediaType>;
}[keyof Content];

/** The body of a multipart request holds an empty string for a file; its bytes are in `files`. */
type Files<MediaType> = MediaType extends `multipart/${string}` ? { files: UploadedFile[] } : unknown;

interface NoContent {
  contentType?: undefined;
  body?: undefined;
}

/**
 * The status codes that a key of `responses` covers: a code, a range without the codes declared separately, or all
 * others for `default`. Beside a declared 2xx, `default` covers no other 2xx, so that the body of an error is no success.
 */
export type StatusOf<Key, Keys> = Key extends number
  ? Key
  : Key extends keyof StatusRange
    ? Exclude<StatusRange[Key], Keys>
    : Key extends "default"
      ? Exclude<StatusCode, Keys | StatusRange[(Keys & keyof StatusRange) | SuccessRange<Keys>]>
      : never;

/** One object type instead of an intersection, because the compiler's messages have a line for each part of that. */
type ResponseOf<_Id, Status, Response> = Flat<{ status: Status } & SentHeaders<Response> & SentContent<Response>>;

type Flat<T> = T extends unknown ? { [Key in keyof T]: T[Key] } : never;

type SuccessRange<Keys> = [Keys & StatusRange["2XX"]] extends [never] ? never : "2XX";

type SentHeaders<Response> = Response extends { headers: infer Headers }
  ? keyof Declared<Headers> extends never
    ? { headers?: { [name: string]: never } }
    : Empty extends Declared<Headers>
      ? { headers?: Declared<Headers> }
      : { headers: Declared<Headers> }
  : { headers?: { [name: string]: never } };

type SentContent<Response> = Response extends { content: infer Content }
  ? [Content] extends [never]
    ? NoContent
    : IsUnion<keyof Content> extends true
      ? { [Type in keyof Content]: { contentType: Concrete<Type>; body: SentBody<Type, Content[Type]> } }[keyof Content]
      : keyof Content extends `${string}/*`
        ? { contentType: Concrete<keyof Content>; body: SentBody<keyof Content, Content[keyof Content]> }
        : { contentType?: keyof Content; body: SentBody<keyof Content, Content[keyof Content]> }
  : NoContent;

/** A JSON body is a value. Other bodies may also be bytes or streams of bytes and text, or of items. */
type SentBody<MediaType, Body> = MediaType extends "application/json" ? Body : StreamableBody<MediaType, Body>;

type StreamableBody<MediaType, Body> = MediaType extends ItemStreamType
  ?
      | AsyncIterable<MediaType extends EventStreamType ? Body | ServerSentEvent<Body> : Body>
      | string
      | Uint8Array
      | ByteStream
  : MediaType extends `${string}json${string}`
    ? Body
    : Body | Uint8Array | ByteStream | AsyncIterable<string | Uint8Array>;

type EventStreamType = `text/event-stream${string}`;

/** The media types whose bodies are streams of items. */
type ItemStreamType =
  | EventStreamType
  | `application/${"jsonl" | "x-ndjson" | "x-jsonlines"}${string}`
  | `${string}json-seq${string}`;

/**
 * Bytes and text that are sent as they are. A `Readable` is an `AsyncIterable` of `any`, and is not named here, because the
 * items of a generator would get the type `any` from it.
 */
type ByteStream = ReadableStream<string> | ReadableStream<Uint8Array> | Blob | FileBody;

/** Removes the index signature that openapi-typescript adds to all headers. */
type Declared<Headers> = {
  [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] | CookieLines<Name>;
};

/** Each cookie needs a `Set-Cookie` line of its own (RFC 6265, section 3). */
type CookieLines<Name> = Lowercase<Name & string> extends "set-cookie" ? readonly string[] : never;

type IsUnion<T, Whole = T> = [T] extends [never]
  ? false
  : T extends Whole
    ? [Whole] extends [T]
      ? false
      : true
    : never;

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an object without declared names
type Empty = Record<never, never>;
