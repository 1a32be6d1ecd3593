import { escapeKey, essenceOf } from "openapi-document";

// An import of `node:http` would load Node's unused WebSocket and fetch, because it reads every export.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/**
 * The error codes of this package, by status. An application may add its own. Files add `range_not_satisfiable` (416).
 */
export const PROBLEM_CODES = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  406: "not_acceptable",
  412: "precondition_failed",
  413: "payload_too_large",
  415: "unsupported_media_type",
  501: "not_implemented",
} as const;

/** A fault in one part of a request. It repeats no value of the request, and only names that are printable. */
export interface RequestFault {
  in: "body" | "path" | "query" | "header" | "cookie";
  /** The name of the parameter, unless the request chose it and it is not printable. */
  parameter?: string;
  /** A JSON pointer (RFC 6901) into the body or the parameter. It ends before a name that is not printable. */
  pointer: string;
  /** The JSON Schema keyword that the value violates, or `syntax` for a value that cannot be read. */
  code: string;
  /** Place, fault and remedy for people. */
  message: string;
}

/**
 * An error response before it is written: status, code for programs, message for people, headers, and the faults of a
 * request that does not match the document. It has no stack trace, because it reports a client's mistake and not a bug.
 */
export class Problem extends Error {
  override name = "Problem";
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly RequestFault[];

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    errors: readonly RequestFault[] = [],
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.errors = errors;
  }
}

/** The operation of an error response. */
export interface ProblemContext {
  /** Undefined if the request belongs to no operation. */
  operationId: string | undefined;
  /** The path template of a request whose method its path does not allow (405). */
  path?: string;
  /**
   * The media types that the operation declares for the status of the problem, else those of most of its errors. Without an
   * operation, those that most operations of the path, or of the document, declare.
   */
  contentTypes: readonly string[];
}

/** An error response. Status and headers default to those of the problem, the media type to `application/json`. */
export interface ProblemResponse {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  contentType?: string;
  body: unknown;
}

/**
 * How error responses are written. `"json"` is `{ code, message, status }`. `"problem+json"` is RFC 9457. `"declared"` is
 * RFC 9457 where `contentTypes` has `application/problem+json` without `application/json`, else JSON.
 */
export type ProblemFormat =
  | "declared"
  | "json"
  | "problem+json"
  | ((problem: Problem, context: ProblemContext) => ProblemResponse);

const PROBLEM_JSON = "application/problem+json";

export function problemResponse(problem: Problem, format: ProblemFormat, context: ProblemContext): ProblemResponse {
  if (typeof format === "function") return format(problem, context);
  const declared = new Set(context.contentTypes.map(essenceOf));
  const isDeclared = declared.has(PROBLEM_JSON) && !declared.has("application/json");
  if (format === "problem+json" || (format === "declared" && isDeclared))
    return { contentType: PROBLEM_JSON, body: problemDetails(problem) };
  const { code, message, status } = problem;
  return { body: { code, message, status } };
}

/**
 * Returns the problem details of a problem (RFC 9457, section 3). The extension `code` is for programs. The extension
 * `errors` lists the faults of a request that does not match the document.
 */
export function problemDetails({
  status,
  code,
  message,
  errors,
}: Pick<Problem, "status" | "code" | "message" | "errors">): object {
  const faults = errors.map(({ message: detail, ...fault }) => ({ detail, ...fault }));
  const title = STATUS_CODES[status] ?? "Error";
  return { type: "about:blank", title, status, detail: message, code, ...(faults.length > 0 && { errors: faults }) };
}

/** Creates a `Problem` with the code of its status. */
export function createProblem(
  status: keyof typeof PROBLEM_CODES,
  message: string,
  headers?: Record<string, string>,
): Problem {
  return new Problem(status, PROBLEM_CODES[status], message, headers);
}

/** Creates the 400 of a request that does not match the document. The first fault is its message. */
export function invalidRequest(errors: readonly [RequestFault, ...RequestFault[]]): Problem {
  return new Problem(400, PROBLEM_CODES[400], errors[0].message, {}, errors);
}

/** Creates the 400 of a parameter that cannot be read. `fault` is the predicate of the message. */
export function unreadableParameter(
  location: keyof typeof LOCATIONS,
  name: string,
  fault: string,
  isDeclared = true,
): Problem {
  const message = `${describe(location, name, isDeclared)} ${fault}.`;
  const parameter = printable(name, isDeclared);
  return invalidRequest([
    { in: location, ...(parameter !== undefined && { parameter }), pointer: "", code: "syntax", message },
  ]);
}

/** Creates the 400 of a body that is missing or cannot be read. `path` leads to the value at fault. */
export function unreadableBody(message: string, path: readonly (string | number)[] = [], code = "syntax"): Problem {
  const end = path.findIndex((name) => printable(String(name)) === undefined);
  const known = end === -1 ? path : path.slice(0, end);
  return invalidRequest([
    { in: "body", pointer: known.map((name) => `/${escapeKey(String(name))}`).join(""), code, message },
  ]);
}

/** Creates the 400 of a field of a form that cannot be read. `fault` is the predicate of the message. */
export function unreadableField(name: string, fault: string, isDeclared = false): Problem {
  const known = printable(name, isDeclared);
  const subject = known === undefined ? "A field in the request body" : `Body field ${JSON.stringify(known)}`;
  const pointer = known === undefined ? "" : `/${escapeKey(known)}`;
  return invalidRequest([{ in: "body", pointer, code: "syntax", message: `${subject} ${fault}.` }]);
}

/** A plain word, with or without names in brackets, as in `page[limit]`. */
const PLAIN = /^(?=.{1,32}$)[\p{L}\p{M}\p{N}_.-]+(?:\[[\p{L}\p{M}\p{N}_.-]*\])*$/u;

/** The longest declared name in a message, in characters of JSON. */
const MAX_NAME_LENGTH = 120;

/**
 * Returns a name if a message may repeat it. Declared names are those of the document. Other names come from the request.
 * Of these, only a plain word of at most 32 characters is repeated. Tokens and other secrets are longer.
 */
export function printable(name: string, isDeclared = false): string | undefined {
  if (isDeclared) return JSON.stringify(name).length <= MAX_NAME_LENGTH + 2 ? name : undefined;
  return PLAIN.test(name) ? name : undefined;
}

const LOCATIONS = { path: "Path parameter", query: "Query parameter", header: "Header", cookie: "Cookie" } as const;

/** Returns the name of a parameter for a message, or its place alone if the name is not printable. */
export function describe(location: keyof typeof LOCATIONS, name: string, isDeclared = false): string {
  const known = printable(name, isDeclared);
  const place = LOCATIONS[location];
  return known === undefined ? `A ${place.toLowerCase()}` : `${place} ${JSON.stringify(known)}`;
}
