import type { NextFunction, Request, Response } from "express";
import type { BrokenOperation } from "./validation/broken-operations.ts";
import { expectPatterns } from "./validation/patterns.ts";
import { listOf, typeName } from "./lists.ts";
import { findMismatches } from "./mismatches.ts";
import {
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  readableDocument,
  type CompilePattern,
  withCompiler,
} from "openapi-document";
import { expectVersion } from "./validation/unsupported.ts";
import { expectSuitable, type GivenHandler, optionsOf, passOn, type UntypedHandler } from "./handler.ts";
import { expectExtensions, type Format, withExtensions } from "./formats.ts";
import { expressHandler, type OnResponse } from "./express.ts";
import { expectHooks, type GivenHooks } from "./hooks.ts";
import { Operation, type Route } from "./operation.ts";
import { type CacheOptions, ResponseCache, type Road } from "./road.ts";
import type { VerifyBody } from "./request/body.ts";
import { PathRouter } from "./request/path-router.ts";
import type { BodyLimits } from "./request/limits.ts";
import { createProblem, type ProblemFormat } from "./problem.ts";
import type { CheckedShare, Violation } from "./response/response-check.ts";
import type { StreamOptions } from "./streams/stream-writer.ts";
import { streamsOf } from "./streams/streams.ts";
import type { OnInvalidCredential, SecurityHandler } from "./security/security.ts";
import type { Around, HandlerTypes, Handlers, NoOthers, OperationMiddlewares } from "./types.ts";

/** The options of `implement`. `Rest` is the type of `notImplemented`. */
export type ImplementOptions<
  Operations,
  Env extends HandlerTypes,
  Given extends Partial<Handlers<Operations, Env>>,
  Rest extends NotImplemented | undefined = undefined,
> = {
  /** The OpenAPI 3.0, 3.1 or 3.2 document, parsed and bundled into one. */
  document: OpenApiDocument;
  /** One handler for each operation, keyed by operationId. With `notImplemented`, operations may lack one. */
  handlers: Given & NoOthers<Given, Operations>;
  /**
   * The responses of operations without a handler. `"501"` sends an error, and `"mock"` the examples of the document, or generated
   * values; both after credentials and input were validated. `"next"` passes each request on, before either. Default: such an
   * operation is an error at start.
   */
  notImplemented?: Rest;
  /** Hooks around handlers, the first one outermost. Each runs where the handler runs: once credentials and input are valid. */
  around?: Around<Operations, Env>;
  /** Express middlewares of operations. They run once the credentials are valid, and before the body is read. */
  use?: OperationMiddlewares<Operations>;
} & Needed<Env["caller"], SecurityOptions<Env["caller"]>> &
  Needed<Env["context"], ContextOptions<Env["context"]>> &
  CommonOptions;

export type NotImplemented = "501" | "mock" | "next";

/** Makes options required, unless the handlers accept undefined in place of the value that the options provide. */
type Needed<Promised, Options> = undefined extends Promised ? Partial<Options> : Options;

interface SecurityOptions<Caller> {
  /** One function for each security scheme that the operations use. It validates a credential. */
  security: Record<string, SecurityHandler<Caller>>;
}

interface ContextOptions<Context> {
  /** The `context` of a handler's input, or a function that returns it. */
  context: Context | ((request: Request) => Context);
}

interface CommonOptions extends Partial<BodyLimits> {
  /**
   * Whether a request whose path or method the document does not have gets 404 or 405, and OPTIONS 204, or goes to Express's next
   * handler. Default: `"reject"`.
   */
  unknownPaths?: "reject" | "next";
  /**
   * How error responses are written: `"json"`, `"problem+json"` (RFC 9457), `"declared"`, or a function that returns status,
   * headers, media type and body. Default: `"declared"`.
   */
  problemFormat?: ProblemFormat;
  /** The realm of authentication challenges (RFC 9110, section 11.5). Default: `api`. */
  realm?: string;
  /**
   * Accepts vendor types such as `application/vnd.shop+json` where the document declares `application/json`, in requests
   * and in `Accept`. Default: false.
   */
  vendorTypes?: boolean;
  /**
   * Uses the bodies that `express.json`, `urlencoded`, `text` or `raw` have parsed before. Their values are validated like others, but
   * repeated names and digits beyond the precision of a double are gone. Default: a parsed body is an error, unless its bytes are in
   * `request.rawBody`.
   */
  parsedBodies?: boolean;
  /**
   * Which responses are validated against the document, headers included. Default: "off". The response is sent
   * unchanged; `onViolation` decides what a violation leads to. The validators of a sample are compiled at the first
   * response that is checked.
   */
  checkResponses?: CheckedShare;
  /**
   * Called with each request that gets 401 for an invalid credential, once all alternatives have failed. A thrown `Problem` is
   * sent instead of the 401, such as a 429.
   */
  onInvalidCredential?: OnInvalidCredential;
  /** Called with each violation. If it throws, the request fails with that error, which is useful in tests. */
  onViolation?: (violation: Violation) => void;
  /**
   * Called with the facts of each request that was not passed on, once its response has ended or the connection is closed. An error
   * that it throws becomes a warning of the process.
   */
  onResponse?: OnResponse;
  /** The timing of responses that are sent while they are produced. */
  streams?: StreamOptions;
  /** Caches the responses of handlers with `isCacheable` until their data changes. */
  cache?: CacheOptions;
  /**
   * Compiles each `pattern`, such as `linearPattern` of `express-operations/linear-pattern`. Throws at start, naming the place, for
   * a pattern that it cannot compile. Default: the regular expressions of JavaScript.
   */
  compilePattern?: CompilePattern;
  /** How values of formats are validated and converted, by `format`. Handlers receive and return converted values. */
  formats?: Record<string, Format>;
  /** Definitions of ajv keywords that validate requests and checked responses. */
  keywords?: readonly { keyword: string | string[] }[];
  /** Whether a request with an undeclared query parameter gets a 400, or its handler does not see the parameter. Default: "reject". */
  unknownQueryParameters?: "reject" | "ignore";
  /**
   * Compiles every operation at start instead of at its first request. `ready` then lists each operation that does not
   * compile, whatever the reason.
   */
  warm?: boolean;
}

/** An Express request handler that responds to every path below its mount point, unless `unknownPaths` is `"next"`. */
export interface Implementation {
  (request: Request, response: Response, next: NextFunction): void;
  /**
   * The operations that do not compile, so that each of their requests leads to an error. Without `warm`, none is compiled
   * at start, and the list is empty: `findBrokenOperations` of `express-operations/schema-check` needs no compilation.
   */
  ready: Promise<BrokenOperation[]>;
  /** The operations without a handler, by operationId. There are none without `notImplemented`. */
  missing: string[];
}

/**
 * Serves a document's operations with typed handlers, as in `implement<operations, { caller: User }>()(options)`.
 * Throws at once, naming the operation, if document and handlers do not match. Errors that a handler throws go to
 * Express's error handling; this package writes every other response.
 */
export function implement<Operations, Env extends HandlerTypes = HandlerTypes>() {
  return <
    Given extends ([Rest] extends [undefined] ? Handlers<Operations, Env> : Partial<Handlers<Operations, Env>>),
    Rest extends NotImplemented | undefined = undefined,
  >(
    options: ImplementOptions<Operations, Env, Given, Rest>,
  ): Implementation => {
    expectVersion(options.document);
    const document = readableDocument(options.document);
    const handlers: object = options.handlers;
    return serve(document, operationsOf(document), handlers as Record<string, GivenHandler>, options);
  };
}

/** The options of `serve`: those of `implement`, without types of its document. */
type ServeOptions = CommonOptions &
  Partial<SecurityOptions<unknown> & ContextOptions<unknown> & { verifyBody: VerifyBody }> & {
    notImplemented?: NotImplemented | undefined;
  } & GivenHooks;

/** Serves operations of a document. Throws at once if they and the handlers do not match. */
export function serve(
  given: OpenApiDocument,
  entries: OperationEntry[],
  givenHandlers: Record<string, GivenHandler>,
  options: ServeOptions,
): Implementation {
  expectFunctions(givenHandlers, options);
  const patterned = options.compilePattern === undefined ? given : withCompiler(given, options.compilePattern);
  const document = withOptions(patterned, options);
  const { notImplemented, unknownPaths = "reject" } = options;
  const isMissing = ({ id }: OperationEntry) => !Object.hasOwn(givenHandlers, id) || givenHandlers[id] === undefined;
  const missing = notImplemented === undefined ? [] : entries.filter(isMissing);
  const standIns = missing.map((entry) => [entry.id, standIn(document, entry, notImplemented!)]);
  const handlers = { ...givenHandlers, ...(Object.fromEntries(standIns) as Record<string, GivenHandler>) };
  expectPatterns(document, notImplemented === "next" ? entries.filter((entry) => !isMissing(entry)) : entries);
  const operations = operationsFor(document, entries, handlers, options);
  const router = new PathRouter<Route>();
  for (const operation of operations)
    router.route(operation.entry.path, () => new Map()).set(operation.method, operation);
  const { problemFormat = "declared", cache } = options;
  const road: Road = {
    templates: router.root,
    passesUnknown: unknownPaths === "next",
    cache: cache && new ResponseCache(cache),
  };
  const handle = expressHandler(road, operations, problemFormat, options.onResponse);
  const compiled = options.warm === true ? operations.filter(({ isPassedOn }) => !isPassedOn) : [];
  return Object.assign(handle, { ready: Promise.resolve(warm(compiled)), missing: missing.map(({ id }) => id) });
}

/** Returns the handler of an operation that has none. */
function standIn(document: OpenApiDocument, entry: OperationEntry, kind: NotImplemented): UntypedHandler {
  if (kind === "next") return passOn;
  if (kind === "501")
    return () => {
      throw createProblem(501, `The operation "${entry.id}" is not implemented yet.`);
    };
  return async () => (await import("./example/example-responses.ts")).mockResponse(document, entry);
}

/** Returns a document with the extensions of the options, if there are any. */
function withOptions(document: OpenApiDocument, { formats = {}, keywords = [] }: ServeOptions): OpenApiDocument {
  if (Object.keys(formats).length === 0 && keywords.length === 0) return document;
  expectExtensions(document, { formats, keywords });
  return withExtensions(document, { formats, keywords });
}

const CALLBACKS = ["compilePattern", "onInvalidCredential", "onResponse", "onViolation"] as const;
/** The values of options that are chosen by name. */
const CHOICES = {
  notImplemented: ['"501"', '"mock"', '"next"'],
  problemFormat: ['"declared"', '"json"', '"problem+json"', "a function"],
  unknownPaths: ['"reject"', '"next"'],
  unknownQueryParameters: ['"reject"', '"ignore"'],
} as const;

/** Throws for an option that is called and is no function, or that has no such value. The handlers themselves are compared with the document. */
function expectFunctions(handlers: unknown, options: ServeOptions): void {
  const { security = {}, cache } = options;
  for (const [name, value] of Object.entries({ handlers, security }))
    if (typeof value !== "object" || value === null)
      throw new TypeError(`The option ${name} is ${typeName(value)}. It has to be an object of functions.`);
  for (const name of CALLBACKS)
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw new TypeError(`The option ${name} is ${typeName(options[name])}. It has to be a function.`);
  if (cache && typeof cache.version !== "function" && typeof cache.version !== "string")
    throw new TypeError(`The option cache.version is ${typeName(cache.version)}. It has to be a function or a string.`);
  for (const [name, choices] of Object.entries(CHOICES)) {
    const value: unknown = options[name as keyof typeof CHOICES];
    const given = typeof value === "string" ? JSON.stringify(value) : typeName(value);
    if (value === undefined || (choices as readonly string[]).includes(given)) continue;
    throw new TypeError(`The option ${name} is ${given}. It has to be ${listOf(choices, "or")}.`);
  }
}

function operationsFor(
  document: OpenApiDocument,
  entries: OperationEntry[],
  handlers: Record<string, GivenHandler>,
  options: ServeOptions,
): Operation[] {
  const {
    security = {},
    context,
    realm = "api",
    vendorTypes = false,
    parsedBodies = false,
    checkResponses = "off",
    onViolation = () => {},
    onInvalidCredential,
    verifyBody,
  } = options;
  const mismatches = findMismatches(document, entries, handlers, security);
  if (mismatches.length > 0)
    throw new TypeError(`The document and its implementation do not match:\n- ${mismatches.join("\n- ")}`);

  expectHooks(entries, options);
  for (const entry of entries) {
    const own = optionsOf(handlers[entry.id]);
    expectSuitable(document, entry, own, parsedBodies);
    if (own.streamsBody === true && verifyBody !== undefined)
      throw new Error(
        `The handler of "${entry.id}" cannot have a streamed body: its signature covers the whole body. Remove \`streamsBody\`.`,
      );
  }
  if (parsedBodies && verifyBody !== undefined)
    throw new Error(
      "The option parsedBodies cannot be set for signed bodies: a signature covers the bytes. Keep them in `request.rawBody`.",
    );
  const checking = { share: checkResponses, onViolation };
  const shared = {
    document,
    limits: options,
    vendorTypes,
    parsedBodies,
    verifyBody,
    checking,
    ignoresUnknownQuery: options.unknownQueryParameters === "ignore",
    streams: streamsOf(options.streams ?? {}),
    context,
    security: { handlers: security, realm, onInvalidCredential },
    hooks: options,
  };
  return entries.map((entry) => new Operation(entry, entries, optionsOf(handlers[entry.id]), shared));
}

function warm(operations: Operation[]): BrokenOperation[] {
  return operations.flatMap((operation) => {
    try {
      operation.compile();
      return [];
    } catch (error) {
      return { operationId: operation.id, error };
    }
  });
}
