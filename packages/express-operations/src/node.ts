import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { NextFunction, Request, Response } from "express";
import type { Next } from "./express.ts";
import type { Implementation } from "./implement.ts";
import { createProblem, Problem } from "./problem.ts";

/** The options of `nodeHandler`. */
export interface NodeOptions {
  /** The path below which the document's paths are, such as `/v1`. Other paths get 404. Default: none. */
  basePath?: string;
  /** Called with each error that Express would get. The client gets 500 `internal_error`. Default: `console.error`. */
  onError?: (error: unknown, request: IncomingMessage) => void;
}

/**
 * Returns the listener of `createServer` that serves an implementation without Express. Security handlers and `context` get Node's
 * request with `path`, `baseUrl`, `originalUrl` and `res.locals`, and nothing else of Express's.
 */
export function nodeHandler(implementation: Implementation, options: NodeOptions = {}): RequestListener {
  const { basePath = "", onError = (error) => console.error(error) } = options;
  if (basePath !== "" && !/^\/.*[^/]$/.test(basePath))
    throw new TypeError(
      `The option basePath is ${JSON.stringify(basePath)}. Start it with a slash, and end it without one.`,
    );
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const originalUrl = incoming.url!;
    const isBelow = originalUrl.startsWith(`${basePath}/`);
    const url = isBelow ? originalUrl.slice(basePath.length) : originalUrl;
    const path = isBelow ? url.replace(/\?.*/s, "") : "//"; // "//" is the path of no operation
    const response = Object.assign(outgoing, { locals: {} }) as Response;
    const request = Object.assign(incoming, { url, originalUrl, baseUrl: basePath, path, res: response }) as Request;
    const next: Next = (error, write) => {
      if (error === undefined) return write!(createProblem(404, "There is no resource at this path."));
      onError(error, incoming);
      try {
        write!(new Problem(500, "internal_error", "The request failed because of an error in the service."));
      } catch {
        outgoing.destroy(); // the format of problems failed too
      }
    };
    implementation(request, response, next as NextFunction);
  };
}
