import type { RequestHandler } from "express";
import { Problem } from "express-operations";
import { ERRORS } from "../errors.ts";
import type { Outages } from "../http/on-error.ts";
import { describeRequest } from "../http/stages.ts";

/** The conditions of readiness. */
export interface Readiness {
  isStopping: () => boolean;
  /** Returns the failure that keeps the service from serving, if any. Its message is sent to the client. */
  findFailure: () => Promise<{ error: unknown; message: string } | undefined>;
  outages: Outages;
}

/** Returns the handler of the readiness probe: 200, or 503 with the reason. */
export function readiness({ isStopping, findFailure, outages }: Readiness): RequestHandler {
  return async (request, response) => {
    if (isStopping()) throw notReady("The service is stopping.");
    const failure = await findFailure();
    if (failure !== undefined) {
      outages.logOutage(failure.error, describeRequest(request, response));
      throw notReady(failure.message);
    }
    response.json({ status: "ok" });
  };
}

/** Whether the readiness probe would respond with 200. */
export async function isReady({ isStopping, findFailure }: Readiness): Promise<boolean> {
  return !isStopping() && (await findFailure()) === undefined;
}

function notReady(message: string): Problem {
  return new Problem(ERRORS.unavailable.status, "unavailable", message);
}
