import type { NextFunction, Request, Response } from "express";
import { addStanding } from "./standing-headers.ts";

/** What a page may read of a response, beside the names that the Fetch standard always lets it read. */
const EXPOSED = [
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
const READABLE = { ...ANY_ORIGIN, "Access-Control-Expose-Headers": EXPOSED };

/** The answer to the question whether a page may send a request. A day is the longest a browser remembers it. */
const PREFLIGHT = {
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
 * Lets a page of any origin send requests and read the answers (https://fetch.spec.whatwg.org/#http-cors-protocol). A page
 * has to bring an API key of its own, as browsers add no credential to what is allowed to `*`. OPTIONS that is no
 * preflight goes on to whatever answers it.
 */
export function crossOrigin(request: Request, response: Response, next: NextFunction): void {
  if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
    response.writeHead(204, { ...ANY_ORIGIN, ...PREFLIGHT }).end();
    return;
  }
  addStanding(response, READABLE);
  next();
}
