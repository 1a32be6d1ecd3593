import type { RequestHandler } from "express";
import { Problem } from "express-operations";
import { ERRORS } from "../errors.ts";
import type { Outages } from "../http/on-error.ts";
import { describe } from "../observability/request-log.ts";

/** What readiness depends on. */
export interface Readiness {
  isStopping: () => boolean;
  /** What keeps the service from answering; its message is sent. */
  failureOf: () => Promise<{ error: unknown; message: string } | undefined>;
  outages: Outages;
}

/** Tells whoever sends requests whether to send more: 200, or 503 and why. */
export function readiness({ isStopping, failureOf, outages }: Readiness): RequestHandler {
  return async (request, response) => {
    if (isStopping()) throw notReady("The service is stopping.");
    const failure = await failureOf();
    if (failure !== undefined) {
      outages.report(failure.error, describe(request, response));
      throw notReady(failure.message);
    }
    response.json({ status: "ok" });
  };
}

function notReady(message: string): Problem {
  return new Problem(ERRORS.unavailable.status, "unavailable", message);
}
