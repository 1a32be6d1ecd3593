import {
  essenceOf,
  isSequential,
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  readableDocument,
  resolve,
  type ResponseObject,
  responseKey,
} from "openapi-document";
import { PathRouter } from "../request/path-router.ts";
import { authenticationChecks } from "./authentication-checks.ts";
import { type Change, type Check, type Checked, checked, type Expectation } from "./check-maker.ts";
import { pathOf } from "./example-request.ts";
import { ConformanceError, expectHeader } from "./exchange.ts";
import { negativeInputs } from "./negative-inputs.ts";
import { rangeChecks } from "./range-checks.ts";
import { declaredBody, hasUnknown, UNKNOWN } from "./request-body.ts";
import { uploadChecks } from "./upload-checks.ts";

/** Limits of the server that the document does not state. */
export interface Limits {
  /** Largest request body in bytes, for all operations or by operation. Without it, the limit is not checked. */
  bodyLimit?: number | ((operationId: string) => number | undefined);
}

/** The methods of each declared path, upper case. */
type DeclaredPaths = PathRouter<string[]>;

/**
 * Returns the checks that a document implies for each operation: declared responses, authentication before anything
 * else, HEAD, OPTIONS, 404, 405, 406, 413, 415, deprecation headers (RFC 9110, RFC 6750, RFC 9745, RFC 8594), streams,
 * ranges, uploads, and 400 for obvious invalid input: or 422, if an operation declares this status alone.
 */
export function conformanceChecks(given: OpenApiDocument, limits: Limits = {}): Check[] {
  const document = readableDocument(given);
  const entries = operationsOf(document).filter(({ method }) => method !== "trace"); // `fetch` sends none
  const paths: DeclaredPaths = new PathRouter();
  for (const { path, method } of entries) paths.route(path, () => []).push(method.toUpperCase());
  return entries.flatMap((entry) => {
    try {
      return checksOf(checked(document, entry), limits, paths);
    } catch (error) {
      return [{ operationId: entry.id, title: "its checks can be derived", run: () => Promise.reject(error) }];
    }
  });
}

function checksOf(operation: Checked, limits: Limits, paths: DeclaredPaths): Check[] {
  const { document, entry, accepts, responds } = operation;
  const types = responseTypes(document, entry, (key) => key.startsWith("2"));
  // `declaredErrors` responds with the one that is declared.
  const isUnprocessable = responseKey(entry, 422) === "422" && responseKey(entry, 400) === undefined;
  const invalid = isUnprocessable ? [400, 422] : [400];
  return [
    accepts("a valid request is accepted"),
    ...authenticationChecks(operation),
    ...methodChecks(operation, paths),
    ...contentChecks(operation, types, limits),
    ...deprecationChecks(operation),
    // The server may decide by the body of the request, so that another declared media type is allowed.
    ...[...new Set(types.map(essenceOf))]
      .filter(isSequential)
      .map((type) => accepts(`a request for ${type} is accepted`, ({ headers }) => headers.set("Accept", type))),
    ...rangeChecks(operation, types),
    ...uploadChecks(operation),
    ...negativeInputs(document, entry).map(({ title, apply }) => responds(invalid, `400 for ${title}`, apply)),
  ];
}

/** Returns the declared media types of the responses with some keys. */
function responseTypes(document: OpenApiDocument, { operation }: OperationEntry, isMeant: (key: string) => boolean) {
  const responses = Object.entries(operation.responses ?? {}).filter(([key]) => isMeant(key));
  return responses.flatMap(([, node]) => Object.keys(resolve<ResponseObject>(document, node).content ?? {}));
}

/**
 * Checks that only declared paths exist, and that each supports HEAD, OPTIONS and 405 (RFC 9110, sections 9.3 and
 * 15.5.6).
 */
function methodChecks({ document, entry, accepts, responds }: Checked, paths: DeclaredPaths): Check[] {
  const declared = paths.route(entry.path, () => []);
  const allowed = new Set([...declared, "OPTIONS", ...(declared.includes("GET") ? ["HEAD"] : [])]);
  const allows = expectAllow(allowed);
  const slashed = `${entry.path}/`;
  const undeclared = ["DELETE", "PUT", "PATCH", "POST", "GET"].find((method) => !allowed.has(method));
  const checks = [
    responds([404], "404 for a path that is not declared", (request) => {
      // Terminates, because every declared path is finite.
      do request.template += "/no/such/path";
      while (paths.find(pathOf(request)) !== undefined);
    }),
  ];
  if (paths.find(slashed.replace(/\{[^}]+\}/g, "x")) === undefined)
    checks.push(responds([404], "404 for a trailing slash", (request) => (request.template = slashed)));
  if (!declared.includes("OPTIONS"))
    checks.push(responds([200, 204], "OPTIONS says what is allowed", as("OPTIONS"), allows));
  if (undeclared !== undefined) checks.push(responds([405], `405 for ${undeclared}`, as(undeclared), allows));
  if (entry.method !== "get") return checks;
  const hasType: Expectation = (received) => {
    const key = responseKey(entry, received.status);
    if (responseTypes(document, entry, (own) => own === key).length > 0) expectHeader(received, "Content-Type");
  };
  return [...checks, accepts("HEAD wherever GET", as("HEAD"), hasType)];
}

/** Expects `Allow` to list exactly these methods, in any order. */
function expectAllow(allowed: Set<string>): Expectation {
  const sorted = (methods: Iterable<string>) => [...new Set(methods)].toSorted().join(", ");
  return (received) => {
    const listed = sorted(expectHeader(received, "Allow").split(/\s*,\s*/));
    if (listed !== sorted(allowed))
      throw new ConformanceError(`expected Allow to be ${sorted(allowed)}, got ${listed}`);
  };
}

function as(method: string): Change {
  return (request) => {
    delete request.body;
    request.method = method;
  };
}

/**
 * Checks that undeclared media types, content codings and oversized bodies are rejected, each with its status (RFC
 * 9110, section 15.5).
 */
function contentChecks({ document, entry, responds }: Checked, types: string[], { bodyLimit }: Limits): Check[] {
  const checks: Check[] = [];
  const add = (status: number, reason: string, change: Change) =>
    checks.push(responds([status], `${status} for ${reason}`, change));
  if (types.length > 0 && !hasUnknown(types))
    add(406, "an Accept without a declared media type", ({ headers }) => headers.set("Accept", UNKNOWN));
  const body = declaredBody(document, entry);
  if (body === undefined) return checks;
  if (!hasUnknown(body.declared))
    add(415, "a media type that is not declared", (request) => (request.body!.contentType = UNKNOWN));
  add(415, "a compressed body", ({ headers }) => headers.set("Content-Encoding", "gzip"));
  const limit = typeof bodyLimit === "function" ? bodyLimit(entry.id) : bodyLimit;
  if (limit !== undefined)
    add(413, "a body over the limit", (request) => (request.body!.value = { padding: "x".repeat(limit) }));
  return checks;
}

/** Checks that a deprecated operation announces its date, its end and its successor (RFC 9745, RFC 8594, RFC 5829). */
function deprecationChecks({ entry, accepts }: Checked): Check[] {
  const { deprecated, "x-deprecated-at": since, "x-sunset": sunset, "x-successor": successor } = entry.operation;
  const announces = (name: string, declared: string | undefined, pattern: RegExp, timeOf?: (value: string) => number) =>
    deprecated !== true || declared === undefined
      ? []
      : accepts(`its ${name} header announces the deprecation`, undefined, (received) => {
          const value = expectHeader(received, name, pattern);
          if (timeOf !== undefined && timeOf(value) !== Date.parse(declared))
            throw new ConformanceError(`expected the header ${name} to say ${declared}, got ${value}`);
        });
  return [
    announces("Deprecation", since, /^@\d+$/, (value) => Number(value.slice(1)) * 1000),
    announces("Sunset", sunset, / GMT$/, Date.parse),
    announces("Link", successor, /\brel="?successor-version\b/),
  ].flat();
}
