import type { UploadedFile } from "./request/subject.ts";
import type { StatusCode, StatusRange } from "./response/status.ts";

/** What the application adds to each handler's input: who calls (from its security handlers) and what it hands down. */
export interface HandlerTypes {
  /** Undefined for an operation that needs no credentials: say `User | undefined` when there are such. */
  caller?: unknown;
  context?: unknown;
}

/** One handler for each operation of openapi-typescript's `operations`, keyed by operationId. */
export type Handlers<Operations, Env extends HandlerTypes = HandlerTypes> = {
  [Id in keyof Operations]: HandlerOf<Id, Operations[Id], Env>;
};

/** Answers one operation: its declared failures are returned like its success; what it throws is a fault. */
export type Handler<Operation, Env extends HandlerTypes = HandlerTypes> = HandlerOf<unknown, Operation, Env>;

/**
 * What a handler receives, after validation: parameters by place under their declared names and types, with defaults
 * applied, and the body with the media type it came in.
 */
export type Input<Operation, Env extends HandlerTypes = HandlerTypes> = {
  operationId: string;
  path: ParametersIn<Operation, "path">;
  query: ParametersIn<Operation, "query">;
  headers: ParametersIn<Operation, "header">;
  cookies: ParametersIn<Operation, "cookie">;
  /** The path that was asked for, as sent and without its query: what a link to the same resource starts with. */
  requestPath: string;
  caller: Env["caller"];
  context: Env["context"];
} & RequestBody<Operation>;

/** What a handler may answer: one member for each declared status, with that status's body and headers. */
export type Output<Operation> = OutputOf<unknown, Operation>;

/** The operationId goes along so that the compiler's messages name it: `ResponseOf<"getPet", 200, …>`. */
type HandlerOf<Id, Operation, Env extends HandlerTypes> = (
  input: Input<Operation, Env>,
) => OutputOf<Id, Operation> | Promise<OutputOf<Id, Operation>>;

type OutputOf<Id, Operation> = Operation extends { responses: infer Responses }
  ? { [Key in keyof Responses]: ResponseOf<Id, StatusOf<Key, keyof Responses>, Responses[Key]> }[keyof Responses]
  : never;

type ParametersIn<Operation, Place extends string> = Operation extends { parameters: infer Parameters }
  ? Place extends keyof Parameters
    ? [Exclude<Parameters[Place], undefined>] extends [never]
      ? Empty
      : Exclude<Parameters[Place], undefined>
    : Empty
  : Empty;

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
  [MediaType in keyof Content]: { contentType: MediaType; body: Content[MediaType] } & Files<MediaType>;
}[keyof Content];

/** In the body of a multipart request a file is an empty string; what was sent stands beside it. */
type Files<MediaType> = MediaType extends `multipart/${string}` ? { files: UploadedFile[] } : unknown;

interface NoContent {
  contentType?: undefined;
  body?: undefined;
}

/** A status key of the document as the numbers it stands for: itself, what is left of its range, or what nothing else names. */
type StatusOf<Key, Keys> = Key extends number
  ? Key
  : Key extends keyof StatusRange
    ? Exclude<StatusRange[Key], Keys>
    : Key extends "default"
      ? Exclude<StatusCode, Keys | StatusRange[Keys & keyof StatusRange]>
      : never;

type ResponseOf<_Id, Status, Response> = { status: Status } & SentHeaders<Response> & SentContent<Response>;

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

/** Of a media range, what falls under it. */
type Concrete<MediaType> = MediaType extends "*/*"
  ? `${string}/${string}`
  : MediaType extends `${infer Major}/*`
    ? `${Major}/${string}`
    : MediaType;

/** JSON bodies are values; of anything else the handler may send bytes as well. */
type SentBody<MediaType, Body> = MediaType extends `${string}json${string}` ? Body : Body | Uint8Array;

/** Without the index signature that openapi-typescript adds to every set of headers. */
type Declared<Headers> = { [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] };

type IsUnion<T, Whole = T> = [T] extends [never]
  ? false
  : T extends Whole
    ? [Whole] extends [T]
      ? false
      : true
    : never;

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an object in which no name is declared
type Empty = Record<never, never>;
