import type { OutgoingHttpHeaders, ServerResponse as NodeResponse } from "node:http";
import type { Express, NextFunction, Request, RequestHandler, Response } from "express";
import type { Locals } from "express-operations";
import { ServerResponse, validateHeaderName, validateHeaderValue } from "./node-http.ts";

/**
 * The state of a request while it is served, in `response.locals`. Each object has all fields from the start, which keeps access to
 * them fast.
 */
export class RequestState implements Locals {
  /** Default headers that are the same for many responses. */
  block: HeaderBlock;
  /** Further default headers of the response, also of an error. Headers that a handler sets take precedence. */
  readonly headers: Record<string, string> = {};
  /** The caller's `X-Request-Id`, or a generated one. */
  id: string | undefined = undefined;
  /** Set by `implement`. */
  operationId: string | undefined = undefined;
  /** Called by `implement`. */
  beforeHandler: (() => void) | undefined = undefined;
  /** The owner of the credential, once it is accepted. */
  caller: { readonly id: number | string; readonly name: string } | undefined = undefined;
  traceId: string | undefined = undefined;
  /** Whether the request counts towards the limit of requests in flight. */
  isInFlight = false;
  /** The version of the data that the request reads; undefined if it is unknown. */
  dataVersion: number | undefined = undefined;
  /** A version of the credentials. It changes less often than `dataVersion`. */
  credentialsVersion: string | undefined = undefined;

  constructor(block: HeaderBlock) {
    this.block = block;
  }
}

/** Returns the state of the request that a response belongs to. */
export function stateOf({ locals }: Pick<Response, "locals">): RequestState {
  return locals as RequestState;
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

/** Default headers, and their text as it is sent. Node would validate and join the headers of each response again. */
class HeaderBlock {
  readonly headers: Readonly<Record<string, string>>;
  /** The headers of a response with an ETag. */
  readonly taggedHeaders: Readonly<Record<string, string>>;
  readonly text: string;
  readonly taggedText: string;
  readonly #names: ReadonlySet<string>;
  readonly #extended = new WeakMap<object, HeaderBlock>();

  constructor(headers: Readonly<Record<string, string>>) {
    for (const name in headers) {
      validateHeaderName(name);
      validateHeaderValue(name, headers[name]!);
    }
    this.headers = headers;
    this.taggedHeaders = headers["Cache-Control"] === NO_STORE ? { ...headers, "Cache-Control": REVALIDATE } : headers;
    this.text = textOf(headers);
    this.taggedText = textOf(this.taggedHeaders);
    this.#names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  }

  /** Returns a block with further headers. The block is made once for each object of headers. */
  with(headers: Readonly<Record<string, string>>): HeaderBlock {
    const known = this.#extended.get(headers);
    if (known !== undefined) return known;
    const extended = new HeaderBlock({ ...this.headers, ...headers });
    this.#extended.set(headers, extended);
    return extended;
  }

  /** Whether a header of the block is among these. */
  isOverriddenBy(headers: object): boolean {
    for (const name in headers) if (this.#names.has(name.toLowerCase())) return true;
    return false;
  }
}

function textOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}

const NO_HEADERS = new HeaderBlock({});

/**
 * Creates the state of each request, and sends default headers with every response: security headers, `Cache-Control`,
 * `Strict-Transport-Security` if given, and those of `addDefaultHeaders`. Headers that a handler sets take precedence.
 *
 * The text of headers that never change is inserted behind the status line that Node has written. Where a handler replaces one
 * of them, or has set headers before, Node writes all of them. With `isPlain`, Node always does.
 */
export function defaultHeaders(
  app: Express,
  {
    strictTransportSecurity,
    isPlain = false,
  }: { strictTransportSecurity?: string | undefined; isPlain?: boolean | undefined } = {},
): RequestHandler {
  const writeHead = function (this: Response, status: number, ...rest: unknown[]): NodeResponse {
    const { block = NO_HEADERS, headers: defaults } = (this.locals ?? {}) as Partial<RequestState>; // Node's own have none
    const [headers = {}] = rest;
    if (
      rest.length <= 1 &&
      !Array.isArray(headers) &&
      typeof headers === "object" &&
      headers !== null &&
      this.getHeaderNames().length === 0 &&
      !block.isOverriddenBy(headers)
    ) {
      const isTagged = (headers as OutgoingHttpHeaders)["ETag"] !== undefined;
      const written = isPlain ? (isTagged ? block.taggedHeaders : block.headers) : {};
      ServerResponse.prototype.writeHead.call(this, status, { ...written, ...defaults, ...headers });
      if (!isPlain) insertText(this, isTagged ? block.taggedText : block.text);
      return this;
    }
    const isTagged = this.hasHeader("ETag") || (headers as OutgoingHttpHeaders)["ETag"] !== undefined;
    if (isTagged && !this.hasHeader("Cache-Control")) this.setHeader("Cache-Control", REVALIDATE);
    for (const name in block.headers) if (!this.hasHeader(name)) this.setHeader(name, block.headers[name]!);
    for (const name in defaults) if (!this.hasHeader(name)) this.setHeader(name, defaults[name]!);
    return ServerResponse.prototype.writeHead.call(this, status, ...(rest as [OutgoingHttpHeaders]));
  };
  Object.assign(app.response, { writeHead });
  const block = new HeaderBlock({
    ...SECURITY_HEADERS,
    ...(strictTransportSecurity !== undefined && { "Strict-Transport-Security": strictTransportSecurity }),
    "Cache-Control": NO_STORE,
  });
  return (_request, response, next) => {
    response.locals = new RequestState(block);
    next();
  };
}

/** Inserts the text of headers behind the status line. Node keeps the head in `_header` until it is sent. */
function insertText(response: NodeResponse, text: string): void {
  const written = response as unknown as { _header: string };
  const start = written._header.indexOf("\r\n") + 2;
  written._header = written._header.slice(0, start) + text + written._header.slice(start);
}

/** Adds default headers to a response. */
export function addDefaultHeaders(response: Response, headers: Record<string, string>): void {
  Object.assign(stateOf(response).headers, headers);
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
const CORS_HEADERS = { ...ANY_ORIGIN, "Access-Control-Expose-Headers": EXPOSED_HEADERS };

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
 * Lets pages of any origin send requests and read the responses (https://fetch.spec.whatwg.org/#http-cors-protocol). A page needs
 * an API key of its own, since browsers send no credentials by themselves to a server that allows `*`. OPTIONS requests other
 * than preflights pass to the next handler.
 */
export function crossOrigin(request: Request, response: Response, next: NextFunction): void {
  if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
    response.writeHead(204, { ...ANY_ORIGIN, ...PREFLIGHT_HEADERS }).end();
    return;
  }
  const state = stateOf(response);
  state.block = state.block.with(CORS_HEADERS);
  next();
}
