import type { RequestListener, ServerOptions } from "node:http";
import type { Express } from "express";
import { IncomingMessage, ServerResponse } from "./node-http.ts";

/** An Express app, or any other listener. */
export type Listening = RequestListener & Partial<Pick<Express, "request" | "response">>;

/**
 * Has Node make requests and responses that are from birth what Express turns each of them into: to change the prototype
 * of an object makes all that is done with it slower. Classes make them, since an object of a class has room for all of
 * its fields from the start.
 */
export function messagesOf(app: Listening): ServerOptions {
  if (app.request === undefined || app.response === undefined) return {};
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response as typeof ServerResponse };
}
