import type { OutgoingHttpHeaders, ServerResponse as NodeResponse } from "node:http";
import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import { ServerResponse } from "./node-http.ts";

/** What is known of a request while it is served: one object for each, with the same fields from the start. */
export class RequestState {
  /** Sent with the response, whatever that becomes; what a handler sets goes before. */
  readonly headers: Record<string, string>;
  /** The request's own or the caller's `X-Request-Id`. */
  id: string | undefined = undefined;
  operationId: string | undefined = undefined;
  /** Whose API key has been accepted. */
  caller: { readonly id: number; readonly name: string } | undefined = undefined;
  traceId: string | undefined = undefined;
  /** The version of the data that the request is answered from; undefined where that cannot be told. */
  dataVersion: number | undefined = undefined;

  constructor(headers: Record<string, string>) {
    this.headers = headers;
  }
}

const STATE = Symbol("the state of a request");

interface WithState {
  [STATE]?: RequestState;
}

/** Begins the state of the request that a response answers. */
export function beginState(response: NodeResponse, headers: Record<string, string>): RequestState {
  return ((response as WithState)[STATE] = new RequestState(headers));
}

/** The state of the request that a response answers. Throws where it was not begun, which is a mistake in the order of middlewares. */
export function stateOf(response: NodeResponse): RequestState {
  const state = stateIfAny(response);
  if (state === undefined)
    throw new Error("The state of the request was not begun: put the middleware that does first.");
  return state;
}

/** The same, or undefined for what Node answers by itself, past every middleware. */
export function stateIfAny(response: NodeResponse): RequestState | undefined {
  return (response as WithState)[STATE];
}

/** Notes which operation a request is for. */
export function noteOperation({ res }: Request, operationId: string): void {
  stateOf(res!).operationId = operationId;
}

/** The version of the data that a request is answered from; undefined where that cannot be told. */
export function dataVersionOf({ res }: Request): number | undefined {
  return stateOf(res!).dataVersion;
}

/**
 * What helmet 8 sends (https://helmetjs.github.io), save for the policy: no response of an API is a page, so that a browser
 * loads nothing for it and frames it nowhere.
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

/** Nothing is stored, save by the client itself where a tag lets it ask whether it may use that again (RFC 9111, section 5.2.2). */
const NOT_STORED = "no-store";
const ASKED_AGAIN = "private, no-cache";

/**
 * Begins the state of each request, and sends default headers with every response: those for security, `Cache-Control`,
 * `Strict-Transport-Security` where it is given, and those that `addStanding` adds. Headers that a handler sets take precedence.
 * All are written at once, as Node checks and stores each that is set by itself.
 */
export function defaultHeaders(app: Express, strictTransportSecurity?: string): RequestHandler {
  const writeHead = function (this: Response, status: number, ...rest: unknown[]): NodeResponse {
    const standing = stateIfAny(this)?.headers ?? {};
    const [headers = {}] = rest;
    if (
      rest.length <= 1 &&
      !Array.isArray(headers) &&
      typeof headers === "object" &&
      this.getHeaderNames().length === 0
    ) {
      const written: OutgoingHttpHeaders = { ...standing, ...headers };
      if (written["ETag"] !== undefined && written["Cache-Control"] === NOT_STORED)
        written["Cache-Control"] = ASKED_AGAIN;
      return ServerResponse.prototype.writeHead.call(this, status, written);
    }
    const isTagged = this.hasHeader("ETag") || (headers as OutgoingHttpHeaders)["ETag"] !== undefined;
    if (isTagged && !this.hasHeader("Cache-Control")) this.setHeader("Cache-Control", ASKED_AGAIN);
    for (const name in standing) if (!this.hasHeader(name)) this.setHeader(name, standing[name]!);
    return ServerResponse.prototype.writeHead.call(this, status, ...(rest as [OutgoingHttpHeaders]));
  };
  Object.assign(app.response, { writeHead });
  const security = {
    ...SECURITY_HEADERS,
    ...(strictTransportSecurity !== undefined && { "Strict-Transport-Security": strictTransportSecurity }),
    "Cache-Control": NOT_STORED,
  };
  return (_request, response, next) => {
    beginState(response, { ...security });
    next();
  };
}

/** Adds headers to those that stand on a response. */
export function addDefaultHeaders(response: Response, headers: Record<string, string>): void {
  Object.assign(stateOf(response).headers, headers);
}

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
  addDefaultHeaders(response, READABLE);
  next();
}
