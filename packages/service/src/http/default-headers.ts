import type { Response } from "express";
import { validateHeaderValue } from "./node-http.ts";

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

/** The default headers of responses. */
export interface DefaultHeaders {
  plain: HeaderLines;
  /** The headers of a response with an ETag. */
  tagged: HeaderLines;
  /** The names in lower case, and `x-request-id`. */
  names: ReadonlySet<string>;
}

/** Headers, and the same as lines of text (RFC 9112, section 5). */
export interface HeaderLines {
  headers: Readonly<Record<string, string>>;
  text: string;
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
    plain: linesOf(headers),
    tagged: linesOf({ ...headers, "Cache-Control": REVALIDATE }),
    names: new Set(names),
  };
}

/** Throws for a value that no header can have. */
export function linesOf(headers: Record<string, string>): HeaderLines {
  const lines = Object.entries(headers).map(([name, value]) => {
    validateHeaderValue(name, value);
    return `${name}: ${value}\r\n`;
  });
  return { headers, text: lines.join("") };
}

/** The headers that a page of another origin may read, beside those that the Fetch standard always exposes. */
const EXPOSED_HEADERS = [
  "Accept-Encoding",
  "Allow",
  "Consistency-Token",
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
    "Consistency-Token",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
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
