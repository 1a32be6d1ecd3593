import type { RequestListener, ServerOptions } from "node:http";
import type { Express } from "express";

/**
 * The exports of `node:http` that the service uses. A plain `import` reads every export of the module, `WebSocket` included.
 * Loading `WebSocket` takes most of the module's start-up time.
 */
export const { createServer, get, IncomingMessage, METHODS, ServerResponse, STATUS_CODES, validateHeaderValue } =
  process.getBuiltinModule("node:http");

/** An Express app or any other request listener. */
export type AppOrListener = RequestListener & Partial<Pick<Express, "request" | "response">>;

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
