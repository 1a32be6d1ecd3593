import type { NextFunction, Request, Response } from "express";
import { type OperationEntry, parameterNames } from "./document/document.ts";
import { oneOf } from "./lists.ts";
import { type Plan, type PlanOptions, planOf } from "./plan.ts";
import { Problem, refuse } from "./problem.ts";
import { contentTypeFor, expectOneContentType } from "./request/body.ts";
import { cookieHeaders, inputOf, rawParameters } from "./request/parameters.ts";
import { type PathRouter, queryOf } from "./request/path-router.ts";
import type { ReadQuery } from "./request/query.ts";
import type { Subject } from "./request/subject.ts";
import { type Deprecation, deprecationOf } from "./response/deprecation.ts";
import { isCacheable } from "./response/cacheable.ts";
import {
  announcementOf,
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
export interface OperationOptions extends PlanOptions {
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
  #planning: Promise<Plan> | undefined;
  #plan: Plan | undefined;

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
    await this.#prepare();
  }

  /** The headers that announce its deprecation on 2xx, 304 and 404; undefined for an operation that stays. */
  announcement(request: Request, values: string[]): Record<string, string> | undefined {
    if (this.#deprecation === undefined) return undefined;
    return announcementOf(request, this.#deprecation, (name) => values[this.#names.indexOf(name)]!);
  }

  /**
   * The way of one request: who asks, what is accepted, what is sent, is it valid, and then the handler. Refusals are thrown,
   * or rejected with, but for those that many requests may end in: a throw is dear.
   */
  serve(request: Request, response: Response, values: string[]): OperationResult | Promise<OperationResult> {
    const admitted = this.#guard(request);
    if (admitted instanceof Promise)
      return admitted.then((admission) => this.#serve(request, response, values, admission));
    return this.#serve(request, response, values, admitted);
  }

  #serve(
    request: Request,
    response: Response,
    values: string[],
    admitted: Admission<unknown> | Problem,
  ): OperationResult | Promise<OperationResult> {
    if (admitted instanceof Problem) return admitted;
    const plan = this.#plan;
    if (plan === undefined) return this.#prepare().then(() => this.#serve(request, response, values, admitted));
    const { accept = "", "content-type": contentType } = request.headers;
    if (accept !== "" && accept !== "*/*" && !plan.isAcceptable(accept)) {
      throw refuse(
        406,
        `This operation answers with ${oneOf(plan.produces)}. Name that in Accept, or leave Accept out.`,
      );
    }
    if (contentType !== undefined) expectOneContentType(request);
    return this.#cachedOr(request, () => this.#answer(request, response, values, plan, admitted.caller));
  }

  /** The answer that is kept for this request, if there is one, and otherwise what `make` gives. */
  #cachedOr(request: Request, make: () => Promise<OperationResult>): OperationResult | Promise<OperationResult> {
    const { cache } = this.#options;
    const version = this.#isCacheable ? cache?.version(request) : undefined;
    if (version === undefined) return make();
    const place = request.baseUrl + request.url;
    return cache!.find(place) ?? cache!.make(place, version, make);
  }

  async #answer(
    request: Request,
    response: Response,
    values: string[],
    plan: Plan,
    caller: unknown,
  ): Promise<OperationResult> {
    const search = queryOf(request.url);
    const { declared, undeclared } = search === "" ? emptyQuery() : plan.readQuery(search);
    const raw = rawParameters(this.#names, values, declared, request, plan.hasCookies);
    const received = plan.readBody?.(request, response);
    const body = received instanceof Promise ? await received : received;
    plan.checkStrictly(raw);
    for (const name of plan.credentials) delete raw.query[name];
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
    const { validateFast, validateFully, problemFor } = plan.validator;
    const faults = validateFast(subject);
    if (faults === undefined || faults.length > 0) {
      const refusal = faults === undefined ? await validateFully(subject) : problemFor(faults, subject);
      if (refusal !== undefined) return refusal;
    }
    const condition = plan.unsupportedConditions.find((name) => request.headers[name.toLowerCase()] !== undefined);
    if (condition !== undefined) {
      return refuse(412, `This operation does not support ${condition}, so it did nothing. Leave the header out.`);
    }
    if (Object.keys(undeclared).length > 0) subject.query = { ...subject.query, ...undeclared };
    const answer = await this.#handler({
      operationId: this.id,
      ...inputOf(this.#entry.parameters, subject),
      contentType: body?.contentType,
      body: subject.body,
      files: subject.files,
      requestPath: request.baseUrl + request.path,
      caller,
      context: this.#options.context?.(request),
    });
    const released = plan.filterResponse(answer);
    return encodeResponse(released instanceof Promise ? await released : released, {
      isTagged: plan.isTagged && answer.status === 200,
    });
  }

  /** Plans once. A failure is not kept, so that it is reported to each request it breaks. */
  #prepare(): Promise<Plan> {
    this.#planning ??= planOf(this.#entry, this.#options).then(
      (plan) => (this.#plan = plan),
      (error: unknown) => {
        this.#planning = undefined;
        throw new Error(`Operation "${this.id}" cannot be validated: its schemas are at fault.`, { cause: error });
      },
    );
    return this.#planning;
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

const NOTHING_THERE =
  "There is nothing at this path. Upper and lower case differ in it, and a slash at its end counts.";

/** Returns the Express handler that has the operation of each request serve it, and writes what that gives. */
export function requestHandler(router: PathRouter<Route>, { onOperation, problemBody }: RequestHandlerOptions) {
  return (request: Request, response: Response, next: NextFunction): void => {
    let announced: Record<string, string> | undefined;
    const answer = (outcome: OperationResult): void => {
      if (outcome instanceof Problem) respondProblem(request, response, outcome, problemBody(outcome), announced);
      else send(request, response, outcome, announced);
    };
    const fail = (error: unknown): void => {
      if (error instanceof Problem) answer(error);
      // Express takes `undefined`, `null`, "route" and "router" for no failure.
      else next(error instanceof Error ? error : new Error("What was thrown is not an Error.", { cause: error }));
    };
    try {
      const found = router.find(request.path);
      if (found === undefined) throw refuse(404, NOTHING_THERE);
      const { route, values } = found;
      const operation = route.get(request.method) ?? (request.method === "HEAD" ? route.get("GET") : undefined);
      if (operation === undefined) {
        const headers = { Allow: allowed(route) };
        if (request.method !== "OPTIONS")
          throw refuse(405, `This path allows only the methods ${headers.Allow}.`, headers);
        respond(request, response, { status: 204, headers });
        return;
      }
      onOperation(request, operation.id);
      announced = operation.announcement(request, values);
      const outcome = operation.serve(request, response, values);
      if (outcome instanceof Promise) outcome.then(answer).catch(fail).catch(next);
      else answer(outcome);
    } catch (error) {
      fail(error);
    }
  };
}

/** The value of `Allow` (RFC 9110, section 10.2.1). */
function allowed(route: Route): string {
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
  readonly #messages = new Map<string, EncodedResponse>();
  /** Those that are not made yet. */
  readonly #making = new Map<string, { version: number; answer: Promise<OperationResult> }>();
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
      this.#messages.clear();
      this.#bytes = 0;
      this.#version = version;
    }
    return version;
  }

  find(key: string): EncodedResponse | undefined {
    return this.#messages.get(key);
  }

  /**
   * Makes an answer and keeps it. Who asks for the same meanwhile, under the same version, waits for it, and makes another
   * only when it was not kept.
   */
  async make(key: string, version: number, make: () => Promise<OperationResult>): Promise<OperationResult> {
    const begun = this.#making.get(key);
    if (begun?.version === version) {
      await begun.answer.catch(() => {}); // why there is none, each says for itself
      return (version === this.#version ? this.find(key) : undefined) ?? make();
    }
    const answer = make();
    const making = { version, answer };
    this.#making.set(key, making);
    try {
      const outcome = await answer;
      this.#keep(key, version, outcome);
      return outcome;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }

  /** Keeps an answer that was begun under a version, unless another has come since. The oldest make room. */
  #keep(key: string, version: number, outcome: OperationResult): void {
    if (version !== this.#version || outcome instanceof Problem || outcome.status !== 200) return;
    const size = sizeOf(key, outcome);
    if (size > this.#limit || this.#messages.has(key)) return;
    for (const [oldest, kept] of this.#messages) {
      if (this.#bytes + size <= this.#limit) break;
      this.#messages.delete(oldest);
      this.#bytes -= sizeOf(oldest, kept);
    }
    this.#messages.set(key, outcome);
    this.#bytes += size;
  }
}

function sizeOf(key: string, { payload = "" }: EncodedResponse): number {
  const length = typeof payload === "string" ? payload.length * 2 : payload.byteLength;
  return ENTRY_OVERHEAD + key.length * 2 + length;
}
