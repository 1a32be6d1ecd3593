import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { type DestinationStream, type Logger, pino } from "pino";
import type { ServiceConfig } from "../settings.ts";
import { forwardedOf } from "../http/request-head.ts";
import { stateIfAny, stateOf } from "../http/request-state.ts";
import { parseTraceparent } from "./trace-context.ts";

/** Credentials stand in headers; requests are logged without them, so this is for what somebody logs one day. */
const SECRETS = ["authorization", "headers.authorization", "*.authorization", "*.headers.authorization"];

/** Logs as JSON, a line each, to standard output unless told otherwise. A credential is never written. */
export function createLogger(level: ServiceConfig["logLevel"], to: DestinationStream = inBatches()): Logger {
  return pino({ level, redact: SECRETS }, to);
}

/** How long a line may wait for others, in milliseconds. */
const BATCH_MS = 10;

/**
 * Writes lines together, since each write costs more than a line is to make; none waits beyond the end of the process.
 * Not by pino's own stream, which tries for ever to write to a disk that is full, when the process ends.
 */
export function inBatches(out: DestinationStream = process.stdout): DestinationStream {
  let lines = "";
  const flush = (): void => {
    if (lines !== "") out.write(lines);
    lines = "";
  };
  process.once("exit", flush);
  return {
    write: (line) => {
      if (lines === "") setTimeout(flush, BATCH_MS);
      lines += line;
    },
  };
}

/**
 * One line for each request: method, path, the client's address, the id and name of the API key, operation, status, duration,
 * an id, and the trace of a caller that sends `traceparent`. The id is the caller's `X-Request-Id` where that is a plain word, and goes out in the same header.
 * Neither headers nor bodies are logged, nor an id that holds what is secret.
 */
export function requestLog(parent: Logger, isSecret: (text: string) => boolean): RequestHandler {
  const logger = parent.child({}, { redact: [] }); // its lines are made of what cannot be a credential
  return (request, response, next) => {
    const startedAt = performance.now();
    const state = stateOf(response);
    const id = idOf(request, isSecret);
    state.id = state.headers["X-Request-Id"] = id;
    const { address, claimed } = forwardedOf(request); // now, as a connection that is gone has none
    response.on("close", () => {
      const { statusCode: status } = response;
      const { traceparent } = request.headers;
      const line = {
        req: { ...describe(request, response), address, claimed },
        res: { status },
        apiKey: state.caller,
        operationId: state.operationId,
        traceId: state.traceId ?? (traceparent === undefined ? undefined : parseTraceparent(traceparent)?.traceId),
        responseTime: Math.round(performance.now() - startedAt),
      };
      if (!response.writableFinished) logger.info(line, "request aborted");
      else if (status >= 500) logger.error(line, "request failed");
      else logger.info(line, "request completed");
    });
    next();
  };
}

/** What tells one request from the others in a line of the log. */
export function describe(
  request: Request,
  response: Response,
): { id: string | undefined; method: string; path: string } {
  return { id: stateIfAny(response)?.id, method: request.method, path: loggedPath(request.originalUrl) };
}

function idOf(request: Request, isSecret: (text: string) => boolean): string {
  const given = request.headers["x-request-id"];
  const isWord = typeof given === "string" && /^[\w.-]{1,128}$/.test(given) && !isSecret(given);
  return isWord ? given : randomUUID();
}

/**
 * The path of a URL, without its query nor, where it names a host, that, as a password may stand before it. Segments
 * longer than any of ours are cut: one may be a key, in whatever encoding.
 */
export function loggedPath(url: string): string {
  const end = url.indexOf("?");
  const target = end === -1 ? url : url.slice(0, end);
  const path = target.startsWith("/") ? target : target.replace(/^[^/]*:\/\/[^/]*/, "");
  return path.length > 33 ? path.replaceAll(/([^/]{9})[^/]{24,}/g, "$1…") : path;
}
