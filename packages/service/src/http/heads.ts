import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse as NodeResponse } from "node:http";
import type { Express, Request, Response } from "express";
import type { Problem } from "express-operations";
import { problem } from "../problems.ts";
import { ServerResponse } from "./node-http.ts";

/**
 * The maximum length of a request target (path and query), in characters. Node's limit of 16 KiB covers target and headers
 * together.
 */
export const MAX_TARGET = 8_192;

/** Returns the problem of a request head that HTTP forbids but Node's parser accepts. */
export function headFault(request: Request): Problem | undefined {
  return versionFault(request) ?? framingFault(request) ?? hostFault(request) ?? targetFault(request);
}

/** The start of the next request is unknown after a fault of version or framing, so the connection is closed. */
const CLOSE = { Connection: "close" };

function versionFault({ httpVersion }: Request) {
  return httpVersion === "1.1" || httpVersion === "1.0" ? undefined : problem("http_version_not_supported", CLOSE);
}

/** Returns the problem of a Transfer-Encoding that is not `chunked` alone, or is in HTTP/1.0 (RFC 9112, sections 6.1 and 6.3). */
function framingFault({ httpVersion, headers }: Request) {
  const coding = headers["transfer-encoding"];
  if (coding === undefined) return undefined;
  if (httpVersion === "1.0")
    return problem(
      "invalid_request",
      CLOSE,
      "HTTP/1.0 does not support Transfer-Encoding. Send a Content-Length, or use HTTP/1.1.",
    );
  if (coding.toLowerCase() === "chunked") return undefined;
  const code = /,[ \t]*chunked$/i.test(coding) ? "not_implemented" : "invalid_request";
  return problem(code, CLOSE, "The only Transfer-Encoding supported is chunked. Send the body without other codings.");
}

/** Returns the 400 for a missing, repeated or malformed Host (RFC 9112, section 3.2). Node's own 400 would have no body. */
function hostFault(request: Request) {
  const count = headerCount(request, "host");
  const isValid = count === 0 ? request.httpVersion === "1.0" : count === 1 && isAuthority(request.headers.host!);
  return isValid
    ? undefined
    : problem(
        "invalid_request",
        undefined,
        "The request must have exactly one valid Host header. Send the host name or address of the service.",
      );
}

/** A scheme, and an authority with user information (RFC 3986, section 3.2.1). */
const USER_INFORMATION = /^[A-Za-z][\w+.-]*:\/\/[^/?]*@/;

function targetFault({ originalUrl }: Request) {
  if (originalUrl.length > MAX_TARGET) return problem("uri_too_long");
  if (!originalUrl.includes("#") && !USER_INFORMATION.test(originalUrl)) return undefined;
  return problem(
    "invalid_request",
    undefined,
    "The request target must have no fragment and no user information. Send the path and query only.",
  );
}

function headerCount({ rawHeaders }: Request, lowerCaseName: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === lowerCaseName) count++;
  return count;
}

/** `host [":" port]` (RFC 3986, section 3.2). The host is a name, which may be empty, or an address. */
const AUTHORITY = /^(\[[0-9A-Za-z.:]+\]|([\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(:\d*)?$/;

/** Whether the string is the host of a URL, with an optional port. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

/**
 * The headers of helmet 8 (https://helmetjs.github.io) with a stricter policy. A browser may load no resource for a response and
 * show it in no frame, since the response of an API is not a page.
 */
const SECURITY_HEADERS = {
  "Content-Security-Policy": "default-src 'none';frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Origin-Agent-Cluster": "?1",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-DNS-Prefetch-Control": "off",
  "X-Download-Options": "noopen",
  "X-Frame-Options": "SAMEORIGIN",
  "X-Permitted-Cross-Domain-Policies": "none",
  "X-XSS-Protection": "0",
};

/**
 * `Cache-Control` of responses: no cache stores a response without an ETag. A client may store a response with an ETag and must
 * revalidate it (RFC 9111, section 5.2.2).
 */
const NO_STORE = "no-store";
const REVALIDATE = "private, no-cache";

/** The default headers of a response, as lists of names and values in turn. */
export interface DefaultHeaders {
  plain: readonly string[];
  /** The headers of a response with an ETag. */
  tagged: readonly string[];
  /** The names in lower case, and `x-request-id`. */
  names: ReadonlySet<string>;
}

/** Returns default headers: security headers, `Cache-Control`, `Strict-Transport-Security` if given, and others. */
export function createDefaultHeaders(
  strictTransportSecurity?: string,
  others: Record<string, string> = {},
): DefaultHeaders {
  const headers = {
    ...SECURITY_HEADERS,
    ...(strictTransportSecurity !== undefined && { "Strict-Transport-Security": strictTransportSecurity }),
    "Cache-Control": NO_STORE,
    ...others,
  };
  const names = [...Object.keys(headers), "X-Request-Id"].map((name) => name.toLowerCase());
  return {
    plain: Object.entries(headers).flat(),
    tagged: Object.entries({ ...headers, "Cache-Control": REVALIDATE }).flat(),
    names: new Set(names),
  };
}

const NONE: DefaultHeaders = { plain: [], tagged: [], names: new Set() };

/**
 * Makes an app send the default headers in `response.locals` with every response, and its id as `X-Request-Id`. Headers that a
 * handler sets take precedence.
 */
export function sendDefaultHeaders(app: Express): void {
  const writeHead = function (this: Response, status: number, ...rest: unknown[]): NodeResponse {
    const { defaultHeaders = NONE, id } = (this.locals ?? {}) as { defaultHeaders?: DefaultHeaders; id?: string }; // the listener sends responses without the app
    const [given] = rest as [OutgoingHttpHeaders | undefined];
    const isPlain = rest.length === 1 && given instanceof Object && !Array.isArray(given);
    const list = isPlain && this.getHeaderNames().length === 0 ? listOf(defaultHeaders, id, given) : undefined;
    if (list !== undefined) return ServerResponse.prototype.writeHead.call(this, status, list);
    const isTagged = this.hasHeader("ETag") || given?.["ETag"] !== undefined;
    const defaults = isTagged ? defaultHeaders.tagged : defaultHeaders.plain;
    for (let at = 0; at < defaults.length; at += 2)
      if (!this.hasHeader(defaults[at]!)) this.setHeader(defaults[at]!, defaults[at + 1]!);
    if (id !== undefined && !this.hasHeader("X-Request-Id")) this.setHeader("X-Request-Id", id);
    return ServerResponse.prototype.writeHead.call(this, status, ...(rest as [OutgoingHttpHeaders]));
  };
  Object.assign(app.response, { writeHead });
}

/** Returns default headers and those of a handler, or undefined if the handler replaces one of them. */
function listOf(
  { plain, tagged, names }: DefaultHeaders,
  id: string | undefined,
  given: OutgoingHttpHeaders,
): OutgoingHttpHeader[] | undefined {
  const list: OutgoingHttpHeader[] = (given["ETag"] === undefined ? plain : tagged).slice();
  if (id !== undefined) list.push("X-Request-Id", id);
  for (const name in given) {
    if (names.has(name.toLowerCase())) return undefined;
    if (given[name] !== undefined) list.push(name, given[name]);
  }
  return list;
}

/** The headers that a page of another origin may read, beside those that the Fetch standard always exposes. */
const EXPOSED_HEADERS = [
  "Accept-Encoding",
  "Allow",
  "Deprecation",
  "ETag",
  "Idempotency-Replayed",
  "Link",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");

const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" };
/** Let pages of any origin read a response. */
export const CORS_HEADERS = { ...ANY_ORIGIN, "Access-Control-Expose-Headers": EXPOSED_HEADERS };

/** The response to a CORS preflight. Browsers cache it for at most a day. */
const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "Access-Control-Allow-Headers": [
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-None-Match",
    "X-Request-Id",
    "traceparent",
    "tracestate",
  ].join(", "),
  "Access-Control-Max-Age": "86400",
};

export function sendPreflight(response: Response): void {
  response.writeHead(204, { ...ANY_ORIGIN, ...PREFLIGHT_HEADERS }).end();
}
