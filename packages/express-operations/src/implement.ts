import type { NextFunction, Request, Response } from "express";
import { warnOfCosts } from "./document/costly-schemas.ts";
import { findMismatches } from "./mismatches.ts";
import { type OpenApiDocument, type OperationEntry, operationsOf } from "./document/document.ts";
import { expectCacheable, isCacheable } from "./response/cacheable.ts";
import {
  type CacheOptions,
  ResponseCache,
  Operation,
  requestHandler,
  type Route,
  type UntypedHandler,
} from "./operation.ts";
import { PathRouter } from "./request/path-router.ts";
import type { Problem } from "./problem.ts";
import type { CheckedShare, Violation } from "./response/response-check.ts";
import type { SecurityHandler } from "./security/security.ts";
import type { HandlerTypes, Handlers } from "./types.ts";

/** How a document is served. */
export type ImplementOptions<Operations, Env extends HandlerTypes, Given extends Handlers<Operations, Env>> = {
  /** The OpenAPI 3.0 or 3.1 document, parsed and bundled into one. */
  document: OpenApiDocument;
  /** One handler for each operation, keyed by operationId. */
  handlers: Given & { [Id in Exclude<keyof Given, keyof Operations>]: never };
} & Needed<Env["caller"], SecurityOptions<Env["caller"]>> &
  Needed<Env["context"], ContextOptions<Env["context"]>> &
  CommonOptions;

/** Options that are needed when nothing else can give what handlers are promised. */
type Needed<Promised, Options> = undefined extends Promised ? Partial<Options> : Options;

interface SecurityOptions<Caller> {
  /** One judge of credentials for each security scheme the operations use. */
  security: Record<string, SecurityHandler<Caller>>;
}

interface ContextOptions<Context> {
  /** What to hand to the handler of a request besides its input. */
  context: (request: Request) => Context;
}

interface CommonOptions {
  /** The body of every refusal. Default: `{ code, message, status }`. */
  problemBody?: (problem: Problem) => unknown;
  /** Named in challenges (RFC 9110, section 11.5). Default: `api`. */
  realm?: string;
  /** Largest request body in bytes. Default: 65,536. */
  bodyLimit?: number;
  /**
   * Which answers are checked against their declared responses, headers included. Default: "off". The answer itself is
   * sent as it is: what becomes of a violation is for `onViolation` to say.
   */
  checkResponses?: CheckedShare;
  /** Told which operation a request is for, as soon as that is known: before credentials and input are judged. */
  onOperation?: (request: Request, operationId: string) => void;
  /** Told of each violation that a check finds. If it throws, as it should in tests, the request fails with that. */
  onViolation?: (violation: Violation) => void;
  /**
   * Judge a request that is plain by express-openapi-validator's compiled schemas alone, past its steps around them.
   * Default: true. The verdict and the values are the same; `false` has it judge every request as a whole.
   */
  fastPath?: boolean;
  /** Send the responses of `cacheable` handlers again while the data they were made from stays the same. */
  cache?: CacheOptions;
  /** Build every operation now, not at its first request, so that `ready` tells which ones are broken. */
  warm?: boolean;
}

/** An Express request handler that answers for every path below the place it is mounted at. */
export interface Implementation {
  (request: Request, response: Response, next: NextFunction): void;
  /** The operations that cannot be served because their schemas are at fault; empty unless `warm` was asked for. */
  ready: Promise<{ operationId: string; error: unknown }[]>;
}

/**
 * Serves a document's operations with typed handlers: `implement<operations, { caller: User }>()({ document, handlers })`.
 * Throws at once, naming the operation, when document and handlers disagree. A handler's throw goes to Express's error
 * handling; every other response is made here.
 */
export function implement<Operations, Env extends HandlerTypes = HandlerTypes>() {
  return <Given extends Handlers<Operations, Env>>(
    options: ImplementOptions<Operations, Env, Given>,
  ): Implementation => {
    const { router, operations, entries } = buildRouter(options.document, options.handlers, options);
    void warnOfCosts(options.document, entries); // never rejects
    const { onOperation = () => {}, problemBody = plainBody } = options;
    const handle = requestHandler(router, { onOperation, problemBody });
    return Object.assign(handle, { ready: options.warm === true ? warmAll(operations) : Promise.resolve([]) });
  };
}

function buildRouter(
  document: OpenApiDocument,
  handlers: Record<string, UntypedHandler>,
  options: CommonOptions & Partial<SecurityOptions<unknown> & ContextOptions<unknown>>,
): { router: PathRouter<Route>; operations: Operation[]; entries: OperationEntry[] } {
  if (!/^3\.[01]\./.test(document.openapi)) {
    throw new Error(`The document is OpenAPI ${document.openapi}; only 3.0 and 3.1 can be served.`);
  }
  const entries = operationsOf(document);
  const {
    security = {},
    context,
    realm = "api",
    bodyLimit = 65_536,
    checkResponses = "off",
    fastPath = true,
    onViolation = () => {},
    cache,
  } = options;
  const mismatches = findMismatches(document, entries, Object.keys(handlers), Object.keys(security));
  if (mismatches.length > 0)
    throw new Error(`The document and its implementation disagree:\n- ${mismatches.join("\n- ")}`);

  for (const entry of entries) if (isCacheable(handlers[entry.id]!)) expectCacheable(entry);
  const responseCache = cache && new ResponseCache(cache);

  const router = new PathRouter<Route>();
  const checking = { share: checkResponses, onViolation };
  const shared = {
    document,
    bodyLimit,
    checking,
    fastPath,
    cache: responseCache,
    context,
    security: { handlers: security, realm },
  };
  const operations = entries.map((entry) => new Operation(entry, entries, handlers[entry.id]!, shared));
  for (const [at, operation] of operations.entries()) {
    router.route(entries[at]!.path, () => new Map()).set(operation.method, operation);
  }
  return { router, operations, entries };
}

function plainBody({ code, message, status }: Problem): unknown {
  return { code, message, status };
}

async function warmAll(operations: Operation[]): Promise<{ operationId: string; error: unknown }[]> {
  const broken: { operationId: string; error: unknown }[] = [];
  for (const operation of operations) {
    await operation.warm().catch((error: unknown) => broken.push({ operationId: operation.id, error }));
  }
  return broken;
}
