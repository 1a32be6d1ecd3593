import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse as NodeResponse } from "node:http";
import type { Express, Request, Response } from "express";
import { ServerResponse } from "./node-http.ts";

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

/**
 * Whether a request is a CORS preflight (https://fetch.spec.whatwg.org/#http-cors-protocol). Pages of any origin may send requests,
 * and need an API key of their own, since browsers send no credentials by themselves to a server that allows `*`.
 */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

export function sendPreflight(response: Response): void {
  response.writeHead(204, { ...ANY_ORIGIN, ...PREFLIGHT_HEADERS }).end();
}
