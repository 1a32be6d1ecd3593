import type { NextFunction, Request, RequestHandler, Response } from "express";
import { problem } from "../problems.ts";
import { stateOf } from "./request-state.ts";

/** How long a request waits for others to end, in milliseconds. */
const LONGEST_WAIT_MS = 1_000;
/** How often the waiting requests are checked, in milliseconds. */
const WAIT_CHECK_MS = 20;

/** One for all refusals, because creating an error takes a tenth of the time of a refusal. */
const FULL = problem("unavailable", { "Retry-After": "1" });

/** A request that waits. */
interface WaitingRequest {
  request: Request;
  response: Response;
  next: NextFunction;
  deadline: number;
}

/**
 * Limits the requests in flight. A request counts until its response is closed. Beyond the limit it waits before any work on it,
 * for a second at most, and then gets a 503. Most of an overload is thus not refused: a refusal takes about as much CPU time as a
 * cheap request, and clients have a bounded number of connections, each with one request.
 *
 * A request whose body arrives late counts only from then on. At the limit it gets the 503 before its handler runs.
 */
export function waitWhenFull(maxInFlight: number): RequestHandler {
  let inFlight = 0;
  let waiting: WaitingRequest[] = [];
  /** The requests of this turn of the event loop whose bodies may arrive later. */
  let withBodies: [Request, Response][] = [];
  let isAdmitting = false;
  let check: NodeJS.Timeout | undefined;

  const take = (response: Response): void => {
    stateOf(response).isInFlight = true;
    inFlight++;
  };
  const release = (response: Response): void => {
    const state = stateOf(response);
    if (!state.isInFlight) return;
    state.isInFlight = false;
    inFlight--;
    if (waiting.length === 0 || isAdmitting) return;
    isAdmitting = true;
    setImmediate(admitWaiting);
  };
  const releaseLateBodies = (): void => {
    for (const [request, response] of withBodies) {
      if (request.complete) continue;
      release(response);
      stateOf(response).beforeHandler = () => {
        if (inFlight >= maxInFlight) throw FULL;
        take(response);
      };
    }
    withBodies = [];
  };
  const admit = (request: Request, response: Response, next: NextFunction): void => {
    take(response);
    response.once("close", () => release(response));
    if (hasBody(request) && withBodies.push([request, response]) === 1) setImmediate(releaseLateBodies);
    next();
  };
  const admitWaiting = (): void => {
    isAdmitting = false;
    const now = performance.now();
    let first = 0;
    for (; first < waiting.length; first++) {
      const { request, response, next, deadline } = waiting[first]!;
      if (response.closed) continue; // the client has left
      if (deadline <= now) next(FULL);
      else if (inFlight < maxInFlight) admit(request, response, next);
      else break;
    }
    if (first > 0) waiting = waiting.slice(first);
    if (waiting.length > 0) return;
    clearInterval(check);
    check = undefined;
  };

  return (request, response, next) => {
    if (waiting.length === 0 && inFlight < maxInFlight) return admit(request, response, next);
    waiting.push({ request, response, next, deadline: performance.now() + LONGEST_WAIT_MS });
    check ??= setInterval(admitWaiting, WAIT_CHECK_MS);
  };
}

/** Whether a request has a body (RFC 9112, section 6). */
function hasBody({ headers }: Request): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
}
