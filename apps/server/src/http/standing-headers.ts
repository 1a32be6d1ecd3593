import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse as NodeResponse } from "node:http";
import type { Express, RequestHandler, Response } from "express";
import helmet from "helmet";
import { ServerResponse } from "./node-http.ts";
import { beginState, stateIfAny, stateOf } from "./request-state.ts";

/** Nothing we answer is a page: a browser shown a response loads nothing for it and frames it nowhere. */
const API_CSP = { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } };

/** Nothing is stored, save by the client itself where a tag lets it ask whether it may use that again (RFC 9111, section 5.2.2). */
const NOT_STORED = "no-store";
const ASKED_AGAIN = "private, no-cache";

/**
 * Begins the state of each request, and gives its response headers that stand on it whatever it becomes: helmet's, `Cache-Control`, `Strict-Transport-Security`
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
    ...helmetsHeaders(),
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

/** They are the same for each request, so one is enough to learn them. */
function helmetsHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (headers[name] = value),
    removeHeader: () => {},
  } as unknown as NodeResponse; // all that helmet uses of one
  helmet({ contentSecurityPolicy: API_CSP, strictTransportSecurity: false })(
    {} as IncomingMessage,
    response,
    (error) => {
      if (error !== undefined) throw error as Error;
    },
  );
  return headers;
}
