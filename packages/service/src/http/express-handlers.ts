import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from "express";
import { Problem } from "express-operations";
import type { Logger } from "pino";
import { encodeError, type ErrorFormat, NO_OPERATION, plainErrors, problem } from "../problems.ts";
import { describeRequest, type RequestState } from "./stages.ts";

/** How outages of a dependency, such as the database, are recognized and logged. Each failed request gets a 503. */
export interface Outages {
  /** Whether an outage caused the error. */
  isOutage: (error: unknown) => boolean;
  /** Called with each error of an outage and the request that failed. It decides what is logged. */
  logOutage: (error: unknown, req: object) => void;
}

/**
 * Returns Express's error handler, which sends an error in a format. Outages go to `logOutage`. Errors other than `Problem` are
 * logged, and become `internal_error`. The response contains no text of either.
 */
export function onError(logger: Logger, outages?: Outages, format: ErrorFormat = plainErrors): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, _next) => {
    const isOutage = outages?.isOutage(error) === true;
    const sent = isOutage ? problem("unavailable", { "Retry-After": "1" }) : asProblem(error);
    if (sent !== error) {
      const req = describeRequest(request, response);
      if (isOutage) outages.logOutage(error, req);
      else logger.error({ err: error, req }, "request failed");
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { operationId } = response.locals as Partial<RequestState>;
    const { contentType, body } = encodeError(format(sent, { ...NO_OPERATION, operationId }));
    const headers = {
      ...sent.headers,
      "Content-Type": contentType,
      "Content-Length": Buffer.byteLength(body),
    };
    response.writeHead(sent.status, headers).end(body);
  };
}

function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : problem("internal_error");
}

const ALLOWED = { Allow: "GET, HEAD, OPTIONS" };

/** Returns a router of read-only routes, each with its handler of GET and HEAD. */
export function readOnlyRoutes(routes: Record<string, RequestHandler>): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const [path, handler] of Object.entries(routes)) router.all(path, allowGetHead, handler);
  return router;
}

/** Passes GET and HEAD on to a read-only route. OPTIONS gets 204 and any other method 405 (RFC 9110, section 9). */
export function allowGetHead({ method }: Request, response: Response, next: NextFunction): void {
  if (method === "OPTIONS") response.writeHead(204, ALLOWED).end();
  else if (method === "GET" || method === "HEAD") next();
  else throw problem("method_not_allowed", ALLOWED);
}
