import { randomUUID } from "node:crypto";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import type { Locals, Problem } from "express-operations";
import { problem } from "../problems.ts";
import { parseTraceparent } from "../observability/request-log.ts";
import { type DefaultHeaders, sendPreflight } from "./default-headers.ts";
import { headFault } from "./messages.ts";

/**
 * The state of a request while it is served, in `response.locals`. Each object has all fields from the start, which keeps access to
 * them fast.
 */
export interface RequestState extends Locals {
  defaultHeaders: DefaultHeaders;
  /** The caller's `X-Request-Id`, or a generated one. */
  id: string;
  /** The owner of the credential, once it is accepted. */
  caller: { readonly id: number | string; readonly name: string } | undefined;
  traceId: string | undefined;
  /** Whether the request counts towards the limit of requests in flight. */
  isInFlight: boolean;
  /** The version of the data that the request reads; undefined if it is unknown. */
  dataVersion: number | undefined;
  /** A version of the credentials. It changes less often than `dataVersion`. */
  credentialsVersion: string | undefined;
}

/**
 * Calls `run` in a snapshot of the data, at once or later together with other requests. Passes the version of the snapshot, and
 * that of the credentials in it.
 */
export type RunInSnapshot = (
  run: (dataVersion: number | undefined, credentialsVersion: string | undefined) => void,
) => void;

/** The client of a request. */
export interface Client {
  /** The client's IP address in canonical form, without a port; undefined only if the connection is gone. */
  address: string | undefined;
  /** The client addresses in `Forwarded` and `X-Forwarded-For`, if they differ. Neither is used then, since one may be forged. */
  claimed?: (string | undefined)[];
}

/** The options of all stages. */
export interface StageOptions {
  logger: Logger;
  /** Whether a string contains a secret, which must never be logged. */
  isSecret: (text: string) => boolean;
  defaultHeaders: DefaultHeaders;
  crossOriginHeaders: DefaultHeaders;
  maxInFlight: number;
  clientOf: (request: Request) => Client;
  runInSnapshot: RunInSnapshot;
  /** Called with each request as soon as it has a state. */
  onArrival: readonly ((request: Request, response: Response) => void)[];
}

/** Returns the Express handlers of each request outside the API, and of each request to the API, which `api` serves last. */
export function requestStages(
  options: StageOptions,
  api: (request: Request, response: Response, next: NextFunction) => void,
): { everyRequest: RequestHandler; apiRequest: RequestHandler } {
  const logger = options.logger.child({}, { redact: [] }); // none of the logged fields can contain a credential
  const admit = admission(options.maxInFlight);
  const arrive = (request: Request, response: Response): Problem | undefined => {
    response.locals = stateOf(idOf(request, options.isSecret), options.defaultHeaders);
    for (const call of options.onArrival) call(request, response);
    logAtEnd(logger, request, response, options.clientOf(request)); // a closed connection has no address
    return headFault(request);
  };
  const serveInSnapshot = (request: Request, response: Response, next: NextFunction): void =>
    options.runInSnapshot((dataVersion, credentialsVersion) => {
      const state = response.locals as RequestState;
      state.dataVersion = dataVersion;
      state.credentialsVersion = credentialsVersion;
      try {
        api(request, response, next);
      } catch (error) {
        next(error);
      }
    });
  return {
    everyRequest: (request, response, next) => next(arrive(request, response)),
    apiRequest: (request, response, next) => {
      const fault = arrive(request, response);
      if (fault !== undefined) return next(fault);
      if (isPreflight(request)) return sendPreflight(response);
      (response.locals as RequestState).defaultHeaders = options.crossOriginHeaders;
      admit({
        request,
        response,
        goOn: (refusal) => (refusal === undefined ? serveInSnapshot(request, response, next) : next(refusal)),
      });
    },
  };
}

/**
 * Whether a request is a CORS preflight (https://fetch.spec.whatwg.org/#http-cors-protocol). Pages of any origin may send requests,
 * and need an API key of their own, since browsers send no credentials by themselves to a server that allows `*`.
 */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

function stateOf(id: string, defaultHeaders: DefaultHeaders): RequestState {
  return {
    defaultHeaders,
    id,
    operationId: undefined,
    beforeHandler: undefined,
    caller: undefined,
    traceId: undefined,
    isInFlight: false,
    dataVersion: undefined,
    credentialsVersion: undefined,
  };
}

/** The status of an outage or an overload. It is no error of the request, and outages are logged on their own. */
const UNAVAILABLE = 503;

/** Returns the client of a service that trusts no proxy. */
export function peerOf({ socket }: Request): Client {
  return { address: peerAddress(socket.remoteAddress) };
}

/** Returns the address of a socket without its zone, and a mapped address (`::ffff:`) as plain IPv4. */
export function peerAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=[\d.]+$)|%.*$/g, "");
}

/**
 * Logs one line for each request: method, path, client address, id and name of the API key, operation, status, duration, request
 * id, and the trace id of a caller that sends `traceparent`. The request id is the caller's `X-Request-Id` if that is valid, or
 * else a generated one. A valid id has 1 to 128 letters, digits, `_`, `.` or `-`, and contains no secret. The response carries
 * the request id in the same header. Headers and bodies are not logged.
 */
function logAtEnd(logger: Logger, request: Request, response: Response, { address, claimed }: Client): void {
  const startedAt = performance.now();
  response.on("close", () => {
    const { statusCode: status } = response;
    const { caller, operationId, traceId } = response.locals as RequestState;
    const { traceparent } = request.headers;
    const line = {
      req: { ...describeRequest(request, response), address, claimed },
      res: { status },
      apiKey: caller,
      operationId,
      traceId: traceId ?? (traceparent === undefined ? undefined : parseTraceparent(traceparent)?.traceId),
      responseTime: Math.round(performance.now() - startedAt),
    };
    if (!response.writableFinished) logger.info(line, "request aborted");
    else if (status >= 500 && status !== UNAVAILABLE) logger.error(line, "request failed");
    else logger.info(line, "request completed");
  });
}

/** Returns the fields that identify a request in a log line. */
export function describeRequest(
  request: Request,
  response: Response,
): { id: string | undefined; method: string; path: string } {
  const { id } = response.locals as Partial<RequestState>;
  return { id, method: request.method, path: loggedPath(request.originalUrl) };
}

function idOf(request: Request, isSecret: (text: string) => boolean): string {
  const requestId = request.headers["x-request-id"];
  const isUsable = typeof requestId === "string" && /^[\w.-]{1,128}$/.test(requestId) && !isSecret(requestId);
  return isUsable ? requestId : randomUUID();
}

/**
 * Returns the path of a URL without the query. An absolute URL loses its host too, since a password may precede the host. A
 * segment of more than 32 characters is cut, since it may be an encoded key. The paths of our own operations have no such
 * segments.
 */
export function loggedPath(url: string): string {
  const end = url.indexOf("?");
  const target = end === -1 ? url : url.slice(0, end);
  const path = target.startsWith("/") ? target : target.replace(/^[^/]*:\/\/[^/]*/, "");
  return path.length > 33 ? path.replaceAll(/([^/]{9})[^/]{24,}/g, "$1…") : path;
}

/** How long a request waits for others to end, in milliseconds. */
const LONGEST_WAIT_MS = 1_000;
/** How often the waiting requests are checked, in milliseconds. */
const WAIT_CHECK_MS = 20;

/** One for all refusals, because creating an error takes a tenth of the time of a refusal. */
const FULL = problem("unavailable", { "Retry-After": "1" });

/** A request that is to be admitted. */
interface Applicant {
  request: Request;
  response: Response;
  /** Called once: without a refusal as soon as the request is admitted. */
  goOn: (refusal?: Problem) => void;
}

/**
 * Limits the requests in flight. A request counts until its response is closed. Beyond the limit it waits before any work on it,
 * for a second at most, and then gets a 503. Most of an overload is thus not refused: a refusal takes about as much CPU time as a
 * cheap request, and clients have a bounded number of connections, each with one request.
 *
 * A request whose body arrives late counts only from then on. At the limit it gets the 503 before its handler runs.
 */
function admission(maxInFlight: number): (applicant: Applicant) => void {
  let inFlight = 0;
  let waiting: (Applicant & { deadline: number })[] = [];
  /** The requests of this turn of the event loop whose bodies may arrive later. */
  let withBodies: Applicant[] = [];
  let isAdmitting = false;
  let check: NodeJS.Timeout | undefined;

  const take = ({ locals }: Response): void => {
    (locals as RequestState).isInFlight = true;
    inFlight++;
  };
  const release = ({ locals }: Response): void => {
    const state = locals as RequestState;
    if (!state.isInFlight) return;
    state.isInFlight = false;
    inFlight--;
    if (waiting.length === 0 || isAdmitting) return;
    isAdmitting = true;
    setImmediate(admitWaiting);
  };
  const releaseLateBodies = (): void => {
    for (const { request, response } of withBodies) {
      if (request.complete) continue;
      release(response);
      (response.locals as RequestState).beforeHandler = () => {
        if (inFlight >= maxInFlight) throw FULL;
        take(response);
      };
    }
    withBodies = [];
  };
  const admit = (applicant: Applicant): void => {
    const { request, response, goOn } = applicant;
    take(response);
    response.on("close", () => release(response));
    if (hasBody(request) && withBodies.push(applicant) === 1) setImmediate(releaseLateBodies);
    goOn();
  };
  const admitWaiting = (): void => {
    isAdmitting = false;
    const now = performance.now();
    let first = 0;
    for (; first < waiting.length; first++) {
      const applicant = waiting[first]!;
      if (applicant.response.closed) continue; // the client has left
      if (applicant.deadline <= now) applicant.goOn(FULL);
      else if (inFlight < maxInFlight) admit(applicant);
      else break;
    }
    if (first > 0) waiting = waiting.slice(first);
    if (waiting.length > 0) return;
    clearInterval(check);
    check = undefined;
  };

  return (applicant) => {
    if (waiting.length === 0 && inFlight < maxInFlight) return admit(applicant);
    waiting.push({ ...applicant, deadline: performance.now() + LONGEST_WAIT_MS });
    check ??= setInterval(admitWaiting, WAIT_CHECK_MS);
  };
}

/** Whether a request has a body (RFC 9112, section 6). */
function hasBody({ headers }: Request): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
}
