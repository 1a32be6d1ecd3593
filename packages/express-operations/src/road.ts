import type { Request, Response } from "express";
import { oneOf } from "./lists.ts";
import type { CompiledOperation } from "./compiled-operation.ts";
import { callMiddlewares } from "./hooks.ts";
import type { Operation, Route } from "./operation.ts";
import { createProblem, Problem } from "./problem.ts";
import { faultsOf, type RequestData } from "./eov/eov.ts";
import { expectOneContentType, type ReceivedBody } from "./request/body.ts";
import { problemOfFaults } from "./request/fault-message.ts";
import { findRoute, type Parameters, type RouteTree } from "./request/values.ts";
import type { HandlerResponse } from "./response/handler-response.ts";
import { type EncodedResponse, encodeResponse, type OperationResult } from "./response/respond.ts";
import { discardUnsent, StreamedResponse } from "./response/streamed-response.ts";
import { type Admission, isPromiseLike } from "./security/security.ts";

/** The parts that all requests of a document share. */
export interface Road {
  templates: RouteTree<Route>;
  /** Whether requests whose path or method the document does not have go to Express's next handler. */
  passesUnknown: boolean;
  /** The cache for the responses of handlers with `isCacheable`. */
  cache: ResponseCache | undefined;
}

/** The facts of a request. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly locals: Locals;
  /** The operations of the path. Undefined until `route`, and if there are none. */
  route: Route | undefined;
  /** Undefined until `route`, and if the path has no such method. */
  operation: Operation | undefined;
  /** The values of the path parameters in order, percent-encoded. */
  values: string[];
  /** The results of later stages. */
  admission: Admission<unknown> | undefined;
  compiled: CompiledOperation | undefined;
  parameters: Parameters | undefined;
  body: ReceivedBody | undefined;
  /** Undefined until the handler reads `signal`, or a stream ends early. */
  controller: AbortController | undefined;
}

/** The fields of `response.locals` that `implement` shares with the middlewares before it. */
export interface Locals {
  /** Set before credentials and input are validated. */
  operationId?: string | undefined;
  /** Called before the handler, once the input is valid. A thrown `Problem` is sent. */
  beforeHandler?: (() => void) | undefined;
}

/** An exchange in a stage after `route`, which may rely on the stages before it. */
interface Routed extends Exchange {
  operation: Operation;
  admission: Admission<unknown>;
  compiled: CompiledOperation;
  parameters: Parameters;
}

/** The result of a stage: that of the request if it ends there. Frequent problems are returned, because throwing is expensive. */
type Ended = OperationResult | undefined;
type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Serves a request by its stages, in this order. Each takes the exchange, adds to it, and returns. Returns undefined for a request
 * of Express's next handler.
 */
export function serve(road: Road, exchange: Exchange): MaybePromise<OperationResult> | undefined {
  const ended = route(road, exchange);
  if (ended !== undefined || exchange.operation === undefined) return ended;
  const routed = exchange as Routed;
  const { operation, request, response } = routed;
  const goOn = (): MaybePromise<OperationResult> => {
    routed.compiled = operation.compiled ?? operation.compile();
    return accept(routed) ?? fromCache(road.cache, routed, () => fromHandler(routed));
  };
  const { middlewares } = operation;
  return unlessStreamed(routed, () =>
    unlessEnded(
      credentials(routed),
      middlewares === undefined ? goOn : () => callMiddlewares(middlewares, request, response).then(goOn),
    ),
  );
}

async function fromHandler(exchange: Routed): Promise<OperationResult> {
  const reading = input(exchange);
  const refused = reading instanceof Promise ? await reading : reading;
  if (refused !== undefined) return refused;
  const returned = handle(exchange);
  // Without a wait for what is there, so that a stream which has failed has a listener before it emits its error.
  return respond(exchange, isPromiseLike(returned) ? await returned : returned);
}

function unlessEnded(
  ended: MaybePromise<Ended>,
  goOn: () => MaybePromise<OperationResult>,
): MaybePromise<OperationResult> {
  return ended instanceof Promise ? ended.then((result) => result ?? goOn()) : (ended ?? goOn());
}

/** Leaves the rest of a body that the handler need not read to its end. */
function unlessStreamed({ operation, request, response }: Routed, goOn: () => MaybePromise<OperationResult>) {
  return operation.streamed === undefined
    ? goOn()
    : (async () => goOn())().finally(() => operation.options.streams.leaveUnread(request, response));
}

const PATH_NOT_FOUND = "There is no resource at this path. Paths are case-sensitive, and a trailing slash counts.";

/** Finds the operation by path and method. Finds none for a request that is passed on. */
function route({ templates, passesUnknown }: Road, exchange: Exchange): Ended {
  const { method, path } = exchange.request;
  const found = findRoute(templates, path);
  if (found === undefined) return passesUnknown ? undefined : createProblem(404, PATH_NOT_FOUND);
  const operation = found.route.get(method) ?? (method === "HEAD" ? found.route.get("GET") : undefined);
  if (operation === undefined ? passesUnknown : operation.isPassedOn) return undefined;
  exchange.route = found.route;
  exchange.values = found.values;
  exchange.operation = operation;
  if (operation !== undefined) {
    exchange.locals.operationId = operation.id;
    exchange.request.route = operation.route;
    return undefined;
  }
  const headers = { Allow: allowedMethods(found.route) };
  return method === "OPTIONS"
    ? encodeResponse({ status: 204, headers })
    : createProblem(405, `This path allows only the methods ${headers.Allow}.`, headers);
}

/** Returns the value of `Allow` (RFC 9110, section 10.2.1). */
function allowedMethods(operations: Route): string {
  const methods = new Set([...operations.keys(), "OPTIONS"]);
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted().join(", ");
}

/** Validates the credentials. */
function credentials(exchange: Routed): MaybePromise<Ended> {
  const admitted = exchange.operation.guard(exchange.request);
  return admitted instanceof Promise ? admitted.then((later) => admit(exchange, later)) : admit(exchange, admitted);
}

function admit(exchange: Routed, admitted: Admission<unknown> | Problem): Ended {
  if (admitted instanceof Problem) return admitted;
  exchange.admission = admitted;
  return undefined;
}

/** Checks that the client accepts a media type of the response. */
function accept({ request, compiled }: Routed): Ended {
  const { accept: accepted = "", "content-type": contentType } = request.headers;
  if (accepted !== "" && accepted !== "*/*" && !compiled.isAcceptable(accepted))
    return createProblem(
      406,
      `This operation responds with ${oneOf(compiled.produces)}. Send an Accept header that allows this, or none.`,
    );
  if (contentType !== undefined) expectOneContentType(request);
  return undefined;
}

/** Returns the cached response, or else the result of `execute`. */
function fromCache(
  cache: ResponseCache | undefined,
  { operation, request }: Routed,
  execute: () => Promise<OperationResult>,
): MaybePromise<OperationResult> {
  const version = operation.isCacheable ? cache?.version(request) : undefined;
  if (version === undefined) return execute();
  const key = request.baseUrl + request.url;
  return cache!.find(key) ?? cache!.execute(key, version, execute);
}

/** Reads and validates parameters and body. */
function input(exchange: Routed): MaybePromise<Ended> {
  const { request, response, values, compiled } = exchange;
  exchange.parameters = compiled.readParameters(values, request);
  const body = compiled.readBody?.(request, response);
  return body instanceof Promise ? body.then((later) => validate(exchange, later)) : validate(exchange, body);
}

function validate(exchange: Routed, body: ReceivedBody | undefined): Ended {
  const { request, operation, compiled } = exchange;
  const { path, query, headers, cookies } = exchange.parameters;
  exchange.body = body;
  const data: RequestData = { query, params: path, headers, cookies, body: body?.value };
  const validator = compiled.validators.get(body?.declaredType)!;
  const areParametersValid = validator.parameters(data);
  const isBodyValid = body?.isOpaque === true || validator.body(data);
  if (!areParametersValid || !isBodyValid) {
    const invalid = [...(areParametersValid ? [] : ["parameters" as const]), ...(isBodyValid ? [] : ["body" as const])];
    const faults = invalid.flatMap((part) => faultsOf(validator[part]));
    const others = compiled.findFaults(data, body?.declaredType, invalid);
    return problemOfFaults(operation.options.document, operation.entry.parameters, faults, request, others);
  }
  if (compiled.parse !== undefined) {
    const { path: params, ...texts } = compiled.readTexts?.(exchange.values, request) ?? {};
    const faults = compiled.parse(data, body?.declaredType, { ...texts, ...(params && { params }) });
    if (body !== undefined) body.value = data.body;
    if (faults.length > 0)
      return problemOfFaults(operation.options.document, operation.entry.parameters, faults, request);
  }
  const condition = compiled.unsupportedConditions.find((name) => request.headers[name.toLowerCase()] !== undefined);
  return condition === undefined
    ? undefined
    : createProblem(412, `This operation does not support ${condition}, so it did nothing. Leave the header out.`);
}

/** Calls the handler. */
function handle(exchange: Routed): MaybePromise<HandlerResponse> {
  exchange.locals.beforeHandler?.();
  const { body, operation } = exchange;
  const given = new HandlerInput(exchange);
  return body?.stream === undefined
    ? operation.handler(given)
    : body.stream.withFailure(() => operation.handler(given));
}

/** The input of a handler. It is a class because a getter in an object literal takes twenty times as long to create. */
class HandlerInput {
  [field: string]: unknown;
  readonly #exchange: Exchange;

  constructor(exchange: Routed) {
    const { request, operation, admission, compiled, parameters, body } = exchange;
    const { context } = operation.options;
    this.#exchange = exchange;
    this.operationId = operation.id;
    this.path = parameters.path;
    this.query =
      parameters.undeclared === undefined ? parameters.query : { ...parameters.query, ...parameters.undeclared };
    this.headers = namedHeaders(compiled.headerNames, parameters.headers);
    this.cookies = parameters.cookies;
    this.contentType = body?.contentType;
    this.body = body?.value;
    this.files = body?.files;
    this.parts = body?.parts;
    this.requestPath = request.baseUrl + request.path;
    this.lastEventId = compiled.producesEvents ? lastEventIdOf(request) : undefined;
    this.caller = admission.caller;
    this.callers = admission.callers;
    this.context = typeof context === "function" ? (context(request) as unknown) : context;
  }

  get request(): Request {
    return this.#exchange.request;
  }

  get response(): Response {
    return this.#exchange.response;
  }

  /** Aborts when the client has gone before the response has ended. It is created when it is first read. */
  get signal(): AbortSignal {
    return controllerOf(this.#exchange).signal;
  }
}

function namedHeaders(names: string[], headers: Record<string, unknown>): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const name of names) {
    const key = name.toLowerCase();
    if (Object.hasOwn(headers, key)) named[name] = headers[key];
  }
  return named;
}

/** Returns the controller of a request's signal. Its reason to abort may come before the handler reads the signal. */
export function controllerOf(exchange: Exchange): AbortController {
  if (exchange.controller !== undefined) return exchange.controller;
  const { response } = exchange;
  const controller = (exchange.controller = new AbortController());
  const abortUnlessFinished = (): void => {
    if (!response.writableFinished)
      controller.abort(new DOMException("The client closed the connection.", "AbortError"));
  };
  if (response.destroyed) abortUnlessFinished();
  else response.once("close", abortUnlessFinished);
  return controller;
}

/** Returns the `Last-Event-ID` of a request (WHATWG HTML, section 9.2.4). Node reads its UTF-8 as Latin-1. */
function lastEventIdOf({ headers }: Request): string | undefined {
  const id = headers["last-event-id"];
  return typeof id === "string" ? Buffer.from(id, "latin1").toString() : undefined;
}

/** Drops undeclared fields of the handler's response, checks a sample, and encodes it. */
function respond({ compiled }: Routed, returned: HandlerResponse): OperationResult {
  try {
    const sent = compiled.filterResponse(returned);
    if (sent instanceof StreamedResponse) return sent;
    return encodeResponse(sent, { isTagged: compiled.isTagged && returned.status === 200 });
  } catch (error) {
    discardUnsent(returned);
    throw error;
  }
}

/** How responses of handlers with `isCacheable` are cached. */
export interface CacheOptions {
  /**
   * Returns the version of the data: a number that changes whenever the data may have changed. The function is called
   * after the request has arrived. Undefined disables the cache for the request. A new version empties the cache. A string
   * is the name of the field of `response.locals` that holds the version.
   */
  version: ((request: Request) => number | undefined) | string;
  /** The size of the cache in bytes. Default: 16 MiB. */
  bytes?: number;
}

/** The estimated size in bytes of an entry's headers and of its place in the map. */
const ENTRY_OVERHEAD = 1_024;

/** Caches responses of one version of the data. The oldest entries are removed to make room for new ones. */
export class ResponseCache {
  readonly #versionOf: (request: Request) => unknown;
  readonly #limit: number;
  readonly #entries = new Map<string, EncodedResponse>();
  /** Executions in progress. */
  readonly #pending = new Map<string, { version: number; result: Promise<OperationResult> }>();
  #bytes = 0;
  #version: number | undefined;

  constructor({ version, bytes = 16 * 1024 * 1024 }: CacheOptions) {
    this.#versionOf = typeof version === "string" ? ({ res }) => res!.locals[version] as unknown : version;
    this.#limit = bytes;
  }

  /**
   * Returns the current version, or undefined if the request must not use the cache. A new version empties the cache.
   */
  version(request: Request): number | undefined {
    const given = this.#versionOf(request);
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
