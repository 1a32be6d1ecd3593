import type { NextFunction, Request, Response } from "express";
import { type OperationEntry, parameterNames } from "./document/document.ts";
import { oneOf } from "./lists.ts";
import { type CompiledOperation, type CompileOptions, compileOperation } from "./compiled-operation.ts";
import { Problem, createProblem } from "./problem.ts";
import { contentTypeFor, expectOneContentType } from "./request/body.ts";
import { cookieHeaders, inputOf, rawParameters } from "./request/parameters.ts";
import { type PathRouter, queryOf } from "./request/path-router.ts";
import type { ReadQuery } from "./request/query.ts";
import type { Subject } from "./request/subject.ts";
import { type Deprecation, deprecationOf } from "./response/deprecation.ts";
import { isCacheable } from "./response/cacheable.ts";
import {
  deprecationHeadersOf,
  type HandlerResponse,
  encodeResponse,
  type EncodedResponse,
  type OperationResult,
  respond,
  respondProblem,
  send,
} from "./response/respond.ts";
import { type Admission, type Guard, guardOf, type SecurityOptions } from "./security/security.ts";

/** A handler as the untyped core calls it. */
export type UntypedHandler = (input: Record<string, unknown>) => HandlerResponse | Promise<HandlerResponse>;

/** What the operations of a document are served with. */
export interface OperationOptions extends CompileOptions {
  security: SecurityOptions<unknown>;
  context: ((request: Request) => unknown) | undefined;
  /** Answers that need not be made again. */
  cache: ResponseCache | undefined;
}

/** One operation, ready to be served. What costs is made at its first request and kept. */
export class Operation {
  readonly id: string;
  readonly method: string;
  readonly #entry: OperationEntry;
  readonly #names: string[];
  readonly #handler: UntypedHandler;
  readonly #options: OperationOptions;
  readonly #guard: Guard<unknown>;
  readonly #deprecation: Deprecation | undefined;
  readonly #isCacheable: boolean;
  #compilation: Promise<CompiledOperation> | undefined;
  #compiled: CompiledOperation | undefined;

  constructor(entry: OperationEntry, entries: OperationEntry[], handler: UntypedHandler, options: OperationOptions) {
    this.id = entry.id;
    this.method = entry.method.toUpperCase();
    this.#entry = entry;
    this.#names = parameterNames(entry.path);
    this.#handler = handler;
    this.#options = options;
    this.#guard = guardOf(options.document, entry, options.security);
    this.#deprecation = deprecationOf(entry, entries);
    this.#isCacheable = isCacheable(handler);
  }

  /** Builds what the first request would build; rejects when the operation's schemas are at fault. */
  async warm(): Promise<void> {
    await this.#compile();
  }

  /** The headers that announce its deprecation on 2xx, 304 and 404; undefined for an operation that stays. */
  deprecationHeaders(request: Request, values: string[]): Record<string, string> | undefined {
    if (this.#deprecation === undefined) return undefined;
    return deprecationHeadersOf(request, this.#deprecation, (name) => values[this.#names.indexOf(name)]!);
  }

  /**
   * The way of one request: who asks, what is accepted, what is sent, is it valid, and then the handler. Refusals are thrown,
   * or rejected with, but for those that many requests may end in: a throw is dear.
   */
  serve(request: Request, response: Response, values: string[]): OperationResult | Promise<OperationResult> {
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
    return this.#findInCacheOr(request, () => this.#execute(request, response, values, compiled, admitted.caller));
  }

  /** The answer that is kept for this request, if there is one, and otherwise what `make` gives. */
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
    caller: unknown,
  ): Promise<OperationResult> {
    const search = queryOf(request.url);
    const { declared, undeclared } = search === "" ? emptyQuery() : compiled.readQuery(search);
    const raw = rawParameters(this.#names, values, declared, request, compiled.hasCookies);
    const received = compiled.readBody?.(request, response);
    const body = received instanceof Promise ? await received : received;
    compiled.checkStrictly(raw);
    for (const name of compiled.credentials) delete raw.query[name];
    const subject: Subject = {
      method: this.method,
      originalUrl: `/?${search}`,
      path: "/",
      headers: { ...raw.headers, ...cookieHeaders(raw.cookies), "content-type": body && contentTypeFor(body) },
      rawHeaders: raw.rawHeaders,
      params: raw.path,
      query: raw.query,
      body: body?.value,
    };
    const { validateFast, validateFully, problemFor } = compiled.validator;
    const faults = validateFast(subject);
    if (faults === undefined || faults.length > 0) {
      const problem = faults === undefined ? await validateFully(subject) : problemFor(faults, subject);
      if (problem !== undefined) return problem;
    }
    const condition = compiled.unsupportedConditions.find((name) => request.headers[name.toLowerCase()] !== undefined);
    if (condition !== undefined) {
      return createProblem(
        412,
        `This operation does not support ${condition}, so it did nothing. Leave the header out.`,
      );
    }
    if (Object.keys(undeclared).length > 0) subject.query = { ...subject.query, ...undeclared };
    const handlerResponse = await this.#handler({
      operationId: this.id,
      ...inputOf(this.#entry.parameters, subject),
      contentType: body?.contentType,
      body: subject.body,
      files: subject.files,
      requestPath: request.baseUrl + request.path,
      caller,
      context: this.#options.context?.(request),
    });
    const filtered = compiled.filterResponse(handlerResponse);
    return encodeResponse(filtered instanceof Promise ? await filtered : filtered, {
      isTagged: compiled.isTagged && handlerResponse.status === 200,
    });
  }

  /** Plans once. A failure is not kept, so that it is reported to each request it breaks. */
  #compile(): Promise<CompiledOperation> {
    this.#compilation ??= compileOperation(this.#entry, this.#options).then(
      (compiled) => (this.#compiled = compiled),
      (error: unknown) => {
        this.#compilation = undefined;
        throw new Error(`Operation "${this.id}" cannot be validated: its schemas are at fault.`, { cause: error });
      },
    );
    return this.#compilation;
  }
}

function emptyQuery(): ReadQuery {
  return { declared: Object.create(null) as ReadQuery["declared"], undeclared: {} };
}

/** The operations of a path, by method. */
export type Route = Map<string, Operation>;

/** What is the same for all operations. */
export interface RequestHandlerOptions {
  onOperation: (request: Request, operationId: string) => void;
  problemBody: (problem: Problem) => unknown;
}

const PATH_NOT_FOUND =
  "There is nothing at this path. Upper and lower case differ in it, and a slash at its end counts.";

/** Returns the Express handler that has the operation of each request serve it, and writes what that gives. */
export function requestHandler(router: PathRouter<Route>, { onOperation, problemBody }: RequestHandlerOptions) {
  return (request: Request, response: Response, next: NextFunction): void => {
    let deprecationHeaders: Record<string, string> | undefined;
    const write = (result: OperationResult): void => {
      if (result instanceof Problem) respondProblem(request, response, result, problemBody(result), deprecationHeaders);
      else send(request, response, result, deprecationHeaders);
    };
    const fail = (error: unknown): void => {
      if (error instanceof Problem) write(error);
      // Express takes `undefined`, `null`, "route" and "router" for no failure.
      else next(error instanceof Error ? error : new Error("What was thrown is not an Error.", { cause: error }));
    };
    try {
      const found = router.find(request.path);
      if (found === undefined) throw createProblem(404, PATH_NOT_FOUND);
      const { route, values } = found;
      const operation = route.get(request.method) ?? (request.method === "HEAD" ? route.get("GET") : undefined);
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

/** The value of `Allow` (RFC 9110, section 10.2.1). */
function allowedMethods(route: Route): string {
  const methods = new Set([...route.keys(), "OPTIONS"]);
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted().join(", ");
}

/** How responses of cacheable handlers are kept, to be sent again without asking the handler. */
export interface CacheOptions {
  /**
   * A number that differs from before whenever the data may have changed since, as of a time after the request arrived;
   * undefined when that cannot be told. What was kept under another number is forgotten.
   */
  version: (request: Request) => number | undefined;
  /** At most so many bytes are kept. Default: 16 MiB. */
  bytes?: number;
}

/** What an entry takes beside its key and its payload, roughly: its headers, and its place in the map. */
const ENTRY_OVERHEAD = 1_024;

/** The answers kept for the operations of a document. */
export class ResponseCache {
  readonly #versionOf: CacheOptions["version"];
  readonly #limit: number;
  readonly #entries = new Map<string, EncodedResponse>();
  /** Those that are not made yet. */
  readonly #pending = new Map<string, { version: number; result: Promise<OperationResult> }>();
  #bytes = 0;
  #version: number | undefined;

  constructor({ version, bytes = 16 * 1024 * 1024 }: CacheOptions) {
    this.#versionOf = version;
    this.#limit = bytes;
  }

  /** The version under which this request is answered; undefined when nothing may be kept. */
  version(request: Request): number | undefined {
    const version = this.#versionOf(request);
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
   * Makes an answer and keeps it. Who asks for the same meanwhile, under the same version, waits for it, and makes another
   * only when it was not kept.
   */
  async execute(key: string, version: number, execute: () => Promise<OperationResult>): Promise<OperationResult> {
    const pending = this.#pending.get(key);
    if (pending?.version === version) {
      await pending.result.catch(() => {}); // why there is none, each says for itself
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

  /** Keeps an answer that was begun under a version, unless another has come since. The oldest make room. */
  #store(key: string, version: number, result: OperationResult): void {
    if (version !== this.#version || result instanceof Problem || result.status !== 200) return;
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
