import type { NextFunction, Request, Response } from "express";
import {
  ERROR_KEY,
  type OperationEntry,
  parameterNames,
  resolve,
  type ResponseObject,
  responseKey,
} from "openapi-document";
import type { HandlerOptions, UntypedHandler } from "./handler.ts";
import { oneOf } from "./lists.ts";
import { type CompiledOperation, type CompileOptions, compileOperation } from "./compiled-operation.ts";
import { Problem, type ProblemContext, type ProblemFormat, createProblem, problemResponse } from "./problem.ts";
import { faultsOf, type RequestData } from "./eov.ts";
import { expectOneContentType } from "./request/body.ts";
import { problemOfFaults } from "./request/fault-message.ts";
import type { BodyLimits } from "./request/limits.ts";
import { namedHeaders } from "./request/parameters.ts";
import { type PathRouter, queryOf } from "./request/path-router.ts";
import { type Deprecation, deprecationOf } from "./response/deprecation.ts";
import {
  deprecationHeadersOf,
  encodeResponse,
  type EncodedResponse,
  type OperationResult,
  respond,
  respondProblem,
  send,
} from "./response/respond.ts";
import { discardUnsent } from "./response/body-stream.ts";
import { signalOf } from "./response/request-signal.ts";
import { sendStream } from "./response/send-stream.ts";
import type { StreamSettings } from "./response/stream-writer.ts";
import { StreamedResponse } from "./response/streamed-response.ts";
import { type Admission, type Guard, guardOf, type SecurityOptions } from "./security/security.ts";
import { withBodyFailure } from "./upload/body-failure.ts";
import { leaveUnread } from "./upload/unread-body.ts";

/** The options that all operations of a document share. */
export interface OperationOptions extends CompileOptions {
  security: SecurityOptions<unknown>;
  context: ((request: Request) => unknown) | undefined;
  /** The cache for the responses of handlers with `isCacheable`. */
  cache: ResponseCache | undefined;
}

/** Serves the requests of one operation. Its schemas are compiled once, at the first request. */
export class Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly #entry: OperationEntry;
  readonly #names: string[];
  readonly #handler: UntypedHandler;
  readonly #options: OperationOptions;
  readonly #guard: Guard<unknown>;
  readonly #deprecation: Deprecation | undefined;
  readonly #isCacheable: boolean;
  /** The limits of a body that the handler reads itself. */
  readonly #streamed: Partial<BodyLimits> | undefined;
  /** The contexts of error responses by status, each made at its first error. */
  readonly #problemContexts = new Map<number, ProblemContext>();
  #compilation: Promise<CompiledOperation> | undefined;
  #compiled: CompiledOperation | undefined;

  constructor(entry: OperationEntry, entries: OperationEntry[], own: HandlerOptions, options: OperationOptions) {
    this.id = entry.id;
    this.method = entry.method.toUpperCase();
    this.path = entry.path;
    this.#entry = entry;
    this.#names = parameterNames(entry.path);
    this.#handler = own.handler;
    this.#options = options;
    this.#guard = guardOf(options.document, entry, options.security);
    this.#deprecation = deprecationOf(entry, entries);
    this.#isCacheable = own.isCacheable === true;
    this.#streamed = own.streamsBody === true ? (own.limits ?? {}) : undefined;
  }

  /** Compiles the operation before its first request. Rejects if its schemas are invalid. */
  async warm(): Promise<void> {
    await this.#compile();
  }

  /**
   * Returns the headers that announce the deprecation on 2xx, 304 and 404; undefined if the operation is not
   * deprecated.
   */
  deprecationHeaders(request: Request, values: string[]): Record<string, string> | undefined {
    if (this.#deprecation === undefined) return undefined;
    return deprecationHeadersOf(request, this.#deprecation, (name) => values[this.#names.indexOf(name)]!);
  }

  /** Returns the context of an error response with a status. */
  problemContext(status: number): ProblemContext {
    const known = this.#problemContexts.get(status);
    if (known !== undefined) return known;
    const context = { operationId: this.id, contentTypes: usualTypes([this], status) };
    this.#problemContexts.set(status, context);
    return context;
  }

  /** Returns the media types that the operation declares for a status. */
  declaredTypes(status: number): string[] {
    const key = responseKey(this.#entry, status);
    return key === undefined ? [] : this.#typesOf(key);
  }

  /** Returns the media types of each declared error. */
  errorTypes(): string[][] {
    const keys = Object.keys(this.#entry.operation.responses ?? {}).filter((key) => ERROR_KEY.test(key));
    return keys.map((key) => this.#typesOf(key)).filter((types) => types.length > 0);
  }

  #typesOf(key: string): string[] {
    const declared = this.#entry.operation.responses![key]!;
    return Object.keys(resolve<ResponseObject>(this.#options.document, declared).content ?? {});
  }

  /**
   * Serves a request: credentials, `Accept`, cache, body, validation, handler. A frequent rejection is returned,
   * because throwing is expensive; the others are thrown.
   */
  serve(request: Request, response: Response, values: string[]): OperationResult | Promise<OperationResult> {
    return this.#streamed === undefined
      ? this.#serve(request, response, values)
      : this.#serveStreamed(request, response, values);
  }

  /** Serves a request whose body the handler need not read to its end. */
  async #serveStreamed(request: Request, response: Response, values: string[]): Promise<OperationResult> {
    try {
      return await this.#serve(request, response, values);
    } finally {
      leaveUnread(request, response);
    }
  }

  #serve(request: Request, response: Response, values: string[]): OperationResult | Promise<OperationResult> {
    const admitted = this.#guard(request);
    if (admitted instanceof Promise)
      return admitted.then((admission) => this.#serveAdmitted(request, response, values, admission));
    return this.#serveAdmitted(request, response, values, admitted);
  }

  #serveAdmitted(
    request: Request,
    response: Response,
    values: string[],
    admitted: Admission<unknown> | Problem,
  ): OperationResult | Promise<OperationResult> {
    if (admitted instanceof Problem) return admitted;
    const compiled = this.#compiled;
    if (compiled === undefined)
      return this.#compile().then(() => this.#serveAdmitted(request, response, values, admitted));
    const { accept = "", "content-type": contentType } = request.headers;
    if (accept !== "" && accept !== "*/*" && !compiled.isAcceptable(accept)) {
      throw createProblem(
        406,
        `This operation answers with ${oneOf(compiled.produces)}. Name that in Accept, or leave Accept out.`,
      );
    }
    if (contentType !== undefined) expectOneContentType(request);
    return this.#findInCacheOr(request, () => this.#execute(request, response, values, compiled, admitted));
  }

  /** Returns the cached response to a request, or else the result of `execute`. */
  #findInCacheOr(
    request: Request,
    execute: () => Promise<OperationResult>,
  ): OperationResult | Promise<OperationResult> {
    const { cache } = this.#options;
    const version = this.#isCacheable ? cache?.version(request) : undefined;
    if (version === undefined) return execute();
    const key = request.baseUrl + request.url;
    return cache!.find(key) ?? cache!.execute(key, version, execute);
  }

  async #execute(
    request: Request,
    response: Response,
    values: string[],
    compiled: CompiledOperation,
    { caller, callers }: Admission<unknown>,
  ): Promise<OperationResult> {
    const { path, query, headers, cookies, undeclared } = compiled.readParameters(
      values,
      queryOf(request.url),
      request,
    );
    const received = compiled.readBody?.(request, response);
    const body = received instanceof Promise ? await received : received;
    const data: RequestData = { query, params: path, headers, cookies, body: body?.value };
    const validator = compiled.validators.get(body?.declaredType)!;
    const areParametersValid = validator.parameters(data);
    const isBodyValid = body?.isOpaque === true || validator.body(data);
    if (!areParametersValid || !isBodyValid) {
      const faults = [validator.parameters, ...(isBodyValid ? [] : [validator.body])].flatMap(faultsOf);
      return problemOfFaults(this.#options.document, this.#entry.parameters, faults, request);
    }
    const condition = compiled.unsupportedConditions.find((name) => request.headers[name.toLowerCase()] !== undefined);
    if (condition !== undefined) {
      return createProblem(
        412,
        `This operation does not support ${condition}, so it did nothing. Leave the header out.`,
      );
    }
    const input = new HandlerInput(response, {
      operationId: this.id,
      path,
      query: undeclared === undefined ? query : { ...query, ...undeclared },
      headers: namedHeaders(this.#entry.parameters, headers),
      cookies,
      contentType: body?.contentType,
      body: data.body,
      files: body?.files,
      parts: body?.parts,
      requestPath: request.baseUrl + request.path,
      lastEventId: compiled.producesEvents ? lastEventIdOf(request) : undefined,
      caller,
      callers,
      context: this.#options.context?.(request),
    });
    const handle = () => this.#handler(input as unknown as Record<string, unknown>);
    const handlerResponse = await (body?.stream === undefined ? handle() : withBodyFailure(body.stream, handle));
    try {
      const filtered = compiled.filterResponse(handlerResponse);
      const sent = filtered instanceof Promise ? await filtered : filtered;
      if (sent instanceof StreamedResponse) return sent;
      return encodeResponse(sent, { isTagged: compiled.isTagged && handlerResponse.status === 200 });
    } catch (error) {
      discardUnsent(handlerResponse);
      throw error;
    }
  }

  /** Compiles the operation once. Every request reports the error of a failed compilation, which is not repeated. */
  #compile(): Promise<CompiledOperation> {
    this.#compilation ??= compileOperation(this.#entry, this.#options, this.#streamed).then(
      (compiled) => (this.#compiled = compiled),
      (error: unknown) => {
        throw new Error(`Operation "${this.id}" cannot be served: its schemas do not compile. The cause says why.`, {
          cause: error,
        });
      },
    );
    return this.#compilation;
  }
}

/** The parts of a handler's input. */
interface HandlerInputFields {
  operationId: string;
  path: object;
  query: object;
  headers: object;
  cookies: object;
  contentType: string | undefined;
  body: unknown;
  files: unknown;
  parts: unknown;
  requestPath: string;
  lastEventId: string | undefined;
  caller: unknown;
  callers: unknown;
  context: unknown;
}

/** The input of a handler. It is a class because a getter in an object literal takes twenty times as long to create. */
class HandlerInput implements HandlerInputFields {
  readonly #response: Response;
  readonly operationId: string;
  readonly path: object;
  readonly query: object;
  readonly headers: object;
  readonly cookies: object;
  readonly contentType: string | undefined;
  readonly body: unknown;
  readonly files: unknown;
  readonly parts: unknown;
  readonly requestPath: string;
  readonly lastEventId: string | undefined;
  readonly caller: unknown;
  readonly callers: unknown;
  readonly context: unknown;

  constructor(response: Response, fields: HandlerInputFields) {
    this.#response = response;
    this.operationId = fields.operationId;
    this.path = fields.path;
    this.query = fields.query;
    this.headers = fields.headers;
    this.cookies = fields.cookies;
    this.contentType = fields.contentType;
    this.body = fields.body;
    this.files = fields.files;
    this.parts = fields.parts;
    this.requestPath = fields.requestPath;
    this.lastEventId = fields.lastEventId;
    this.caller = fields.caller;
    this.callers = fields.callers;
    this.context = fields.context;
  }

  /** Aborts when the client has gone before the response has ended. It is created when it is first read. */
  get signal(): AbortSignal {
    return signalOf(this.#response);
  }
}

/** Returns the `Last-Event-ID` of a request (WHATWG HTML, section 9.2.4). Node reads its UTF-8 as Latin-1. */
function lastEventIdOf({ headers }: Request): string | undefined {
  const id = headers["last-event-id"];
  return typeof id === "string" ? Buffer.from(id, "latin1").toString() : undefined;
}

/** The operations of a path, by method in upper case. */
export type Route = Map<string, Operation>;

/** The callbacks that all operations share. */
export interface RequestHandlerOptions {
  onOperation: (request: Request, operationId: string) => void;
  problemFormat: ProblemFormat;
  streams: StreamSettings;
}

/** Returns the media types that most of these operations declare for a status, else for any error. JSON wins a tie. */
function usualTypes(operations: Operation[], status: number): readonly string[] {
  const known = operations.map((operation) => operation.declaredTypes(status)).filter((types) => types.length > 0);
  const all = known.length > 0 ? known : operations.flatMap((operation) => operation.errorTypes());
  const counted = Map.groupBy(all, (types) => types.join());
  const [first] = [...counted.values()].toSorted(
    (one, other) =>
      other.length - one.length || Number(other[0]!.includes(JSON_TYPE)) - Number(one[0]!.includes(JSON_TYPE)),
  );
  return first?.[0] ?? [];
}

const JSON_TYPE = "application/json";
const PATH_NOT_FOUND = "There is no resource at this path. Paths are case-sensitive, and a trailing slash counts.";

/** Returns the Express handler that passes each request to its operation and writes the result. */
export function requestHandler(
  router: PathRouter<Route>,
  operations: Operation[],
  { onOperation, problemFormat, streams }: RequestHandlerOptions,
) {
  const contexts = new Map<number, ProblemContext>();
  /** Returns the context of an error of no operation. */
  const contextOf = (status: number, route: Route | undefined): ProblemContext => {
    if (route !== undefined) {
      const own = [...route.values()];
      return { operationId: undefined, path: own[0]!.path, contentTypes: usualTypes(own, status) };
    }
    const known = contexts.get(status) ?? { operationId: undefined, contentTypes: usualTypes(operations, status) };
    contexts.set(status, known);
    return known;
  };
  return (request: Request, response: Response, next: NextFunction): void => {
    let route: Route | undefined;
    let operation: Operation | undefined;
    let deprecationHeaders: Record<string, string> | undefined;
    const write = (result: OperationResult): void => {
      if (result instanceof Problem) {
        const context = operation?.problemContext(result.status) ?? contextOf(result.status, route);
        const written = problemResponse(result, problemFormat, context);
        respondProblem(
          request,
          response,
          { status: result.status, headers: result.headers, ...written },
          deprecationHeaders,
        );
      } else if (result instanceof StreamedResponse) {
        sendStream(request, response, result, streams, deprecationHeaders).catch(fail).catch(next);
      } else send(request, response, result, deprecationHeaders);
    };
    const fail = (error: unknown): void => {
      if (error instanceof Problem) write(error);
      // Express does not treat `undefined`, `null`, "route" and "router" as errors.
      else
        next(
          error instanceof Error
            ? error
            : new Error("The application threw a value that is not an Error. `cause` is that value.", { cause: error }),
        );
    };
    try {
      const found = router.find(request.path);
      if (found === undefined) throw createProblem(404, PATH_NOT_FOUND);
      const { values } = found;
      route = found.route;
      operation = route.get(request.method) ?? (request.method === "HEAD" ? route.get("GET") : undefined);
      if (operation === undefined) {
        const headers = { Allow: allowedMethods(route) };
        if (request.method !== "OPTIONS")
          throw createProblem(405, `This path allows only the methods ${headers.Allow}.`, headers);
        respond(request, response, { status: 204, headers });
        return;
      }
      onOperation(request, operation.id);
      deprecationHeaders = operation.deprecationHeaders(request, values);
      const result = operation.serve(request, response, values);
      if (result instanceof Promise) result.then(write).catch(fail).catch(next);
      else write(result);
    } catch (error) {
      fail(error);
    }
  };
}

/** Returns the value of `Allow` (RFC 9110, section 10.2.1). */
function allowedMethods(route: Route): string {
  const methods = new Set([...route.keys(), "OPTIONS"]);
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted().join(", ");
}

/** How responses of cacheable handlers are cached. */
export interface CacheOptions {
  /**
   * Returns the version of the data: a number that changes whenever the data may have changed. The function is called
   * after the request has arrived. Undefined disables the cache for the request. A new version empties the cache.
   */
  version: (request: Request) => number | undefined;
  /** The size of the cache in bytes. Default: 16 MiB. */
  bytes?: number;
}

/** The estimated size in bytes of an entry's headers and of its place in the map. */
const ENTRY_OVERHEAD = 1_024;

/** Caches responses of one version of the data. The oldest entries are removed to make room for new ones. */
export class ResponseCache {
  readonly #versionOf: CacheOptions["version"];
  readonly #limit: number;
  readonly #entries = new Map<string, EncodedResponse>();
  /** Executions in progress. */
  readonly #pending = new Map<string, { version: number; result: Promise<OperationResult> }>();
  #bytes = 0;
  #version: number | undefined;

  constructor({ version, bytes = 16 * 1024 * 1024 }: CacheOptions) {
    this.#versionOf = version;
    this.#limit = bytes;
  }

  /**
   * Returns the current version, or undefined if the request must not use the cache. A new version empties the cache.
   */
  version(request: Request): number | undefined {
    const given: unknown = this.#versionOf(request);
    const version = typeof given === "number" ? given : undefined; // `null` or `false` would never change
    if (version !== this.#version) {
      this.#entries.clear();
      this.#bytes = 0;
      this.#version = version;
    }
    return version;
  }

  find(key: string): EncodedResponse | undefined {
    return this.#entries.get(key);
  }

  /**
   * Executes a request and caches its response. Concurrent requests with the same key and version wait for that
   * response. If the response is not cached, each waiting request is executed.
   */
  async execute(key: string, version: number, execute: () => Promise<OperationResult>): Promise<OperationResult> {
    const pending = this.#pending.get(key);
    if (pending?.version === version) {
      await pending.result.catch(() => {}); // each waiting request reports its own error
      return (version === this.#version ? this.find(key) : undefined) ?? execute();
    }
    const running = execute();
    const execution = { version, result: running };
    this.#pending.set(key, execution);
    try {
      const result = await running;
      this.#store(key, version, result);
      return result;
    } finally {
      if (this.#pending.get(key) === execution) this.#pending.delete(key);
    }
  }

  /** Stores a response if its version is still current. Removes the oldest entries if they leave too little room. */
  #store(key: string, version: number, result: OperationResult): void {
    if (result instanceof Problem || result instanceof StreamedResponse) return;
    if (version !== this.#version || result.status !== 200) return;
    const size = sizeOf(key, result);
    if (size > this.#limit || this.#entries.has(key)) return;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes + size <= this.#limit) break;
      this.#entries.delete(oldest);
      this.#bytes -= sizeOf(oldest, entry);
    }
    this.#entries.set(key, result);
    this.#bytes += size;
  }
}

function sizeOf(key: string, { payload = "" }: EncodedResponse): number {
  const length = typeof payload === "string" ? payload.length * 2 : payload.byteLength;
  return ENTRY_OVERHEAD + key.length * 2 + length;
}
