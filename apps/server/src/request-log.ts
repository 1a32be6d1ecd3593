import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import type { Logger } from "pino";
import { type HttpLogger, pinoHttp } from "pino-http";
import { holdsApiKey } from "./keys/api-key.ts";

/**
 * One line for each request: method, path, operation, status, duration, and an id. The id is the caller's
 * `X-Request-Id` where that is a plain word, and goes out in the same header. Neither headers nor bodies are logged,
 * nor an API key that was put where none belongs.
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
    customProps: (_request, response) => ({ operationId: response.locals["operationId"] as unknown }),
    customLogLevel: (_request, response, error) =>
      error !== undefined || response.statusCode >= 500 ? "error" : "info",
  });
}

/** Without the query, and with segments cut that are longer than any of ours: one may be a key, in whatever encoding. */
function loggedPath(url: string): string {
  return url.replace(/\?.*/s, "").replaceAll(/([^/]{9})[^/]{24,}/g, "$1…");
}
