import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { type DestinationStream, type Logger, pino } from "pino";
import type { ServiceConfig } from "../settings.ts";
import { forwardedOf } from "../http/request-head.ts";
import { stateOf } from "../http/request-state.ts";

/**
 * The paths that the logger redacts. Requests are logged without headers; the paths matter if a request object is logged by
 * mistake.
 */
const SECRETS = ["authorization", "headers.authorization", "*.authorization", "*.headers.authorization"];

/** Returns a logger of JSON lines, which redacts credentials. It writes to standard output by default. */
export function createLogger(level: ServiceConfig["logLevel"], to: DestinationStream = inBatches()): Logger {
  return pino({ level, redact: SECRETS }, to);
}

/** How long a line may wait for its batch, in milliseconds. */
const BATCH_MS = 10;

/** How many bytes may wait for a reader of the log that is behind: about 10,000 lines. */
const MOST_WAITING = 4 * 2 ** 20;

interface ByteStream {
  write: (bytes: Buffer) => unknown;
  writableLength?: number;
}

/**
 * Returns a stream that writes lines in batches, since a write costs more than formatting a line. The last batch is written when
 * the process exits. Where the reader of the log is too far behind, lines are dropped, so that the service goes on and its memory
 * is bounded; the next batch says how many. pino's own stream is not used, since it retries for ever at exit if the disk is full.
 */
export function inBatches(out: ByteStream = process.stdout): DestinationStream {
  let lines = "";
  let dropped = 0;
  const flush = (): void => {
    if (dropped > 0)
      lines += `{"level":40,"time":${Date.now()},"pid":${process.pid},"dropped":${dropped},"msg":"${BEHIND}"}\n`;
    if (lines !== "") out.write(Buffer.from(lines)); // V8 would keep a text that waits until a full collection
    lines = "";
    dropped = 0;
  };
  process.once("exit", flush);
  return {
    write: (line) => {
      if (lines.length + (out.writableLength ?? 0) > MOST_WAITING) {
        dropped++;
        return;
      }
      if (lines === "") setTimeout(flush, BATCH_MS);
      lines += line;
    },
  };
}

const BEHIND = "lines of the log were dropped, because its reader is behind";

/** The status of an outage or an overload. It is no error of the request, and outages are logged on their own. */
const UNAVAILABLE = 503;

/**
 * Logs one line for each request: method, path, client address, id and name of the API key, operation, status, duration, request
 * id, and the trace id of a caller that sends `traceparent`. The request id is the caller's `X-Request-Id` if that is valid, or
 * else a generated one. A valid id has 1 to 128 letters, digits, `_`, `.` or `-`, and contains no secret. The response carries
 * the request id in the same header. Headers and bodies are not logged.
 */
export function requestLog(parent: Logger, isSecret: (text: string) => boolean): RequestHandler {
  const logger = parent.child({}, { redact: [] }); // none of the logged fields can contain a credential
  return (request, response, next) => {
    const startedAt = performance.now();
    const state = stateOf(response);
    const id = idOf(request, isSecret);
    state.id = state.headers["X-Request-Id"] = id;
    const { address, claimed } = forwardedOf(request); // read now, since a closed connection has no address
    response.on("close", () => {
      const { statusCode: status } = response;
      const { traceparent } = request.headers;
      const line = {
        req: { ...describeRequest(request, response), address, claimed },
        res: { status },
        apiKey: state.caller,
        operationId: state.operationId,
        traceId: state.traceId ?? (traceparent === undefined ? undefined : parseTraceparent(traceparent)?.traceId),
        responseTime: Math.round(performance.now() - startedAt),
      };
      if (!response.writableFinished) logger.info(line, "request aborted");
      else if (status >= 500 && status !== UNAVAILABLE) logger.error(line, "request failed");
      else logger.info(line, "request completed");
    });
    next();
  };
}

/** Returns the fields that identify a request in a log line. */
export function describeRequest(
  request: Request,
  response: Response,
): { id: string | undefined; method: string; path: string } {
  return { id: stateOf(response).id, method: request.method, path: loggedPath(request.originalUrl) };
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

/** The position of a request in the caller's trace. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/** Parses a `traceparent` header (W3C Trace Context, section 3.2). Returns undefined if it is malformed or missing. */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== "string") return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header) ?? [];
  const isKnown = version === "00" ? rest === "" : version !== undefined && version !== "ff";
  if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
