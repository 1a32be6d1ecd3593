import type { ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import { asProblem, problem, problemBody } from "../problems.ts";
import { describe } from "../observability/request-log.ts";

/** Failures of what the service depends on, such as its database: answered with 503, and reported rather than logged each time. */
export interface Outages {
  covers: (error: unknown) => boolean;
  /** Told of each such failure, and of the request that it failed. */
  report: (error: unknown, req: object) => void;
}

/** Answers what is thrown with an Error body. What is not a refusal of ours is logged or, as an outage, reported; the answer does not show it. */
export function onError(logger: Logger, outages?: Outages): ErrorRequestHandler {
  // Four parameters make it Express's error handler.
  return (error: unknown, request, response, _next) => {
    const isOutage = outages?.covers(error) === true;
    const refusal = isOutage ? problem("unavailable", { "Retry-After": "1" }) : asProblem(error);
    if (refusal !== error) {
      const req = describe(request, response);
      if (isOutage) outages.report(error, req);
      else logger.error({ err: error, req }, "request failed");
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const body = JSON.stringify(problemBody(refusal));
    const headers = {
      ...refusal.headers,
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    };
    response.writeHead(refusal.status, headers).end(body);
  };
}
