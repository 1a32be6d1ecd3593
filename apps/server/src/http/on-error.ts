import type { ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import { isDatabaseUnavailable } from "../database/database.errors.ts";
import { asProblem, problemBody } from "../errors.ts";
import type { ReportOutage } from "../observability/outage.ts";
import { describe } from "../observability/request-log.ts";

/**
 * Answers what is thrown with an Error body. What is not a refusal of ours is logged, or reported where it is the database's
 * state; the answer does not show it.
 */
export function onError(logger: Logger, reportOutage?: ReportOutage): ErrorRequestHandler {
  // Four parameters make it Express's error handler.
  return (error: unknown, request, response, _next) => {
    const refusal = asProblem(error);
    if (refusal !== error) {
      const req = describe(request, response);
      if (reportOutage !== undefined && isDatabaseUnavailable(error)) reportOutage(error, req);
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
