import type {
  IncomingMessage as NodeRequest,
  RequestListener,
  ServerOptions,
  ServerResponse as NodeResponse,
} from "node:http";
import type { Express } from "express";
import { IncomingMessage, ServerResponse } from "./node-http.ts";

/** Serves a request and returns true, or returns false and changes nothing. */
export type DirectRoute = (request: NodeRequest, response: NodeResponse) => boolean;

/** An Express app or any other request listener. */
export type AppOrListener = RequestListener &
  Partial<Pick<Express, "request" | "response">> & {
    /** Is tried before the app. It relies on Express's prototypes. */
    directRoute?: DirectRoute | undefined;
  };

/**
 * Returns options of `createServer` that make Node create requests and responses with Express's prototypes. Otherwise Express
 * sets the prototype of each object, which makes the object slow from then on. The prototypes belong to classes, since V8
 * reserves space for the fields of a class's objects in advance.
 */
export function messageClasses(app: AppOrListener): ServerOptions {
  if (app.request === undefined || app.response === undefined) return {};
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response as typeof ServerResponse };
}
