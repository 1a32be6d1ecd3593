import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import { type DestinationStream, type Logger, pino } from "pino";
import { type HttpLogger, pinoHttp } from "pino-http";
import type { Config } from "./config.ts";
import { holdsApiKey } from "./keys/api-key.ts";
import { parseTraceparent } from "./trace-context.ts";

/** Credentials stand in headers; requests are logged without them, so this is for what somebody logs one day. */
const SECRETS = ["authorization", "headers.authorization", "*.authorization", "*.headers.authorization"];

/** Logs as JSON, a line each, to standard output unless told otherwise. A credential is never written. */
export function createLogger(level: Config["logLevel"], destination?: DestinationStream): Logger {
  return pino({ level, redact: SECRETS }, destination);
}

/**
 * One line for each request: method, path, operation, status, duration, an id, and the trace of a caller that sends
 * `traceparent`. The id is the caller's `X-Request-Id` where that is a plain word, and goes out in the same header.
 * Neither headers nor bodies are logged, nor an API key that was put where none belongs.
 */
export function requestLog(logger: Logger): HttpLogger<Request, Response> {
  return pinoHttp<Request, Response>({
    logger,
    genReqId(request, response) {
      const given = request.headers["x-request-id"];
      const isWord = typeof given === "string" && /^[\w.-]{1,128}$/.test(given) && !holdsApiKey(given);
      const id = isWord ? given : randomUUID();
      response.setHeader("X-Request-Id", id);
      return id;
    },
    serializers: {
      req: (request: { id: unknown; method: string; url: string }) => ({
        id: request.id,
        method: request.method,
        path: loggedPath(request.url),
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
    customProps: (request, response) => ({
      operationId: response.locals["operationId"] as unknown,
      traceId: (response.locals["traceId"] as unknown) ?? parseTraceparent(request.headers["traceparent"])?.traceId,
    }),
    customLogLevel: (_request, response, error) =>
      error !== undefined || response.statusCode >= 500 ? "error" : "info",
  });
}

/** Without the query, and with segments cut that are longer than any of ours: one may be a key, in whatever encoding. */
function loggedPath(url: string): string {
  return url.replace(/\?.*/s, "").replaceAll(/([^/]{9})[^/]{24,}/g, "$1…");
}
