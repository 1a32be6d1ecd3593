import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from "express";
import { basePathOf } from "openapi-contract/bundle";
import { requiredSchemes, type SecurityScheme, verifierOf } from "../generate/credentials.ts";
import { implement, mountPath, Problem } from "express-operations";
import { declaredErrors } from "express-operations/declared-errors";
import { withBodyText } from "express-operations/example-responses";
import { type OpenApiDocument, type OperationEntry, operationsOf, readableDocument } from "openapi-document";
import { behaviourOf, type Collections, type MockInput } from "./behaviour.ts";
import { type Conditions, withConditions } from "./conditions.ts";
import { type MockResponse, preferredResponse } from "./examples.ts";
import { preferencesOf } from "./prefer.ts";
import { servableDocument } from "./servable-document.ts";
import { withReplay } from "./replay.ts";

export interface MockOptions {
  document: OpenApiDocument & { servers?: { url: string }[] };
  /** The latency and the faults to simulate. Default: none. */
  conditions?: Conditions;
  /** Called after each response with a line such as `GET /v1/pets?limit=1 200`, and the preferences that were not met. */
  log?: (line: string) => void;
}

/**
 * Serves a document from its examples. Created members are listed and fetched until the mock ends. Any well-formed
 * credential is accepted. `Prefer: code=…, example=…` selects the response to a valid request (RFC 7240). A response that
 * does not match the document is replaced by a 500 that names the wrong example.
 */
export function createMock({ document: given, conditions = {}, log = () => {} }: MockOptions): Express {
  const document = servableDocument(readableDocument(given), log);
  const app = express().disable("x-powered-by").disable("etag").enable("case sensitive routing");
  app.use((request, response, next) => {
    const line = `${request.method} ${request.originalUrl}`;
    response.once("finish", () => log([line, response.statusCode, response.locals["unmet"]].filter(Boolean).join(" ")));
    next();
  });
  const errors = declaredErrors(document);
  app.use(crossOrigin, withConditions(conditions));
  app.use(mountPath(basePathOf(given)), implementation(document, errors));
  app.use(() => {
    throw new Problem(404, "not_found", "There is no resource at this path.");
  });
  // Four parameters make it Express's error handler.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const problem = error instanceof Problem ? error : new Problem(500, "internal_error", messageOf(error));
    sendError(response, problem, errors);
  });
  return app;
}

function implementation(document: OpenApiDocument, errors: ReturnType<typeof declaredErrors>) {
  const entries = operationsOf(document);
  const collections: Collections = new Map();
  const handlers = entries.map((entry) => [entry.id, handlerOf(document, entries, entry, collections)]);
  const schemes = [...requiredSchemes(document, entries)];
  const accept = (credential: string) => (isWellFormed(credential) ? { caller: "anyone" } : undefined);
  const acceptAnything = () => ({ caller: "anyone" });
  return implement<Record<string, UntypedOperation>, { context: Request }>()({
    document: withoutCertificates(document, schemes),
    handlers: Object.fromEntries(handlers) as Record<string, (input: unknown) => never>,
    security: Object.fromEntries(
      schemes.map(([name, scheme]) => [name, verifierOf(scheme) === "none" ? acceptAnything : accept]),
    ),
    problemFormat: errors,
    context: (request) => request,
    checkResponses: "always",
    onViolation: ({ operationId, status, pointer, message }) => {
      if (message === "is write-only") return; // stored and example values have these fields, which are not sent
      throw new Error(`The response ${status} of ${operationId} breaks the document: ${pointer} ${message}.`);
    },
  });
}

/** An operation without static types, because only the document knows them. */
interface UntypedOperation {
  responses: never;
}

function handlerOf(
  document: OpenApiDocument,
  entries: OperationEntry[],
  entry: OperationEntry,
  collections: Collections,
): (input: MockInput & { context: Request }) => Promise<MockResponse> {
  const behave = withReplay(document, entry, behaviourOf(document, entries, entry, collections));
  return async (input) => {
    const response = input.context.res!;
    const { prefer, accept } = input.context.headers;
    const preferences = preferencesOf(prefer);
    const preferred = await preferredResponse(document, entry, preferences, accept);
    const [applied, unmet] = [new Set(preferenceStrings(preferred?.applied ?? {})), preferenceStrings(preferences)];
    if (applied.size > 0) response.set("Preference-Applied", [...applied].join(", "));
    const ignored = unmet.filter((preference) => !applied.has(preference));
    if (ignored.length > 0) response.locals["unmet"] = `(${entry.id} has nothing for Prefer: ${ignored.join(", ")})`;
    return withBodyText(document, entry, preferred?.response ?? (await behave({ ...input, accept })));
  };
}

function preferenceStrings(preferences: object): string[] {
  return Object.entries(preferences).map(([name, value]) => `${name}=${String(value)}`);
}

/** A credential of printable characters. */
function isWellFormed(credential: string): boolean {
  return /^[\x21-\x7e]+$/.test(credential);
}

/** Removes the schemes of client certificates from all requirements, because the mock serves HTTP. */
function withoutCertificates(document: OpenApiDocument, schemes: [name: string, SecurityScheme][]): OpenApiDocument {
  const names = schemes.flatMap(([name, { type }]) => (type === "mutualTLS" ? name : []));
  if (names.length === 0) return document;
  const withoutThem = (requirement: object) =>
    Object.fromEntries(Object.entries(requirement).filter(([name]) => !names.includes(name)));
  return JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    key === "security" && Array.isArray(value) ? value.map(withoutThem) : value,
  ) as OpenApiDocument;
}

/** Returns the message of an error, and that of its cause, which names the place. */
function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message.replace(" The cause says why.", "")} ${cause.message}` : message;
}

function sendError(response: Response, problem: Problem, errors: ReturnType<typeof declaredErrors>): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { contentType = "application/json", body } = errors(problem, { operationId: undefined, contentTypes: [] });
  const text = /\bjson\b/i.test(contentType) ? JSON.stringify(body) : String(body);
  response.writeHead(problem.status, { ...problem.headers, "Content-Type": contentType }).end(text);
}

/**
 * Lets pages of any origin call the mock, with cookies too. The headers are those of Prism, so that a page behaves alike before
 * both. A preflight gets 204 without reaching an operation.
 */
export const crossOrigin: RequestHandler = (request, response, next) => {
  const { origin, "access-control-request-headers": wanted } = request.headers;
  response.set({
    "Access-Control-Allow-Origin": origin ?? "*",
    "Access-Control-Allow-Headers": wanted ?? "*",
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": "*",
    ...(origin !== undefined && { Vary: "Origin" }),
  });
  if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return next();
  response.set("Access-Control-Allow-Methods", "GET,DELETE,HEAD,PATCH,POST,PUT,OPTIONS");
  response.status(204).end();
};
