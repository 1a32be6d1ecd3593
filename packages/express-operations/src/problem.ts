/** The error codes of this package, by status. An application may add its own. */
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

/**
 * An error response before it is written: status, code for programs, message for people, headers. It has no stack
 * trace, because it reports a client's mistake and not a bug.
 */
export class Problem extends Error {
  override name = "Problem";
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Creates a `Problem` with the code of its status. */
export function createProblem(
  status: keyof typeof PROBLEM_CODES,
  message: string,
  headers?: Record<string, string>,
): Problem {
  return new Problem(status, PROBLEM_CODES[status], message, headers);
}

/**
 * Returns a name from a request if a message may repeat it: a plain word of at most 32 characters. Tokens and other
 * secrets are longer.
 */
export function printable(name: string): string | undefined {
  return /^[A-Za-z0-9_.-]{1,32}$/.test(name) ? name : undefined;
}

const LOCATIONS = { path: "Path parameter", query: "Query parameter", header: "Header", cookie: "Cookie" } as const;

/**
 * Returns the name of a parameter for a message. Names other than plain words are left out, because they may come from
 * the request.
 */
export function describe(location: keyof typeof LOCATIONS, name: string): string {
  const known = printable(name);
  return known === undefined ? `A ${LOCATIONS[location].toLowerCase()}` : `${LOCATIONS[location]} "${known}"`;
}
