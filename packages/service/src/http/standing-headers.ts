import type { OutgoingHttpHeaders, ServerResponse as NodeResponse } from "node:http";
import type { Express, RequestHandler, Response } from "express";
import { ServerResponse } from "./node-http.ts";
import { beginState, stateIfAny, stateOf } from "./request-state.ts";

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
 * Begins the state of each request, and gives its response headers that stand on it whatever it becomes: those for security, `Cache-Control`, `Strict-Transport-Security`
 * where it is given, and those added by `addStanding`. What a handler sets goes before. They are written at once with the
 * rest, as Node checks and stores each that is set by itself.
 */
export function standingHeaders(app: Express, strictTransportSecurity?: string): RequestHandler {
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
export function addStanding(response: Response, headers: Record<string, string>): void {
  Object.assign(stateOf(response).headers, headers);
}
