import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import type { Logger } from "pino";
import { type HttpLogger, pinoHttp } from "pino-http";

/**
 * One line for each request: method, path, operation, status, duration, and an id. The id is the caller's
 * `X-Request-Id` where that is a plain word, and goes out in the same header. Neither headers nor bodies are logged.
 */
export function requestLog(logger: Logger): HttpLogger<Request, Response> {
  return pinoHttp<Request, Response>({
    logger,
    genReqId(request, response) {
      const given = request.headers["x-request-id"];
      const id = typeof given === "string" && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID();
      response.setHeader("X-Request-Id", id);
      return id;
    },
    serializers: {
      req: (request: { id: unknown; method: string; url: string }) => ({
        id: request.id,
        method: request.method,
        path: request.url.split("?")[0],
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
    customProps: (_request, response) => ({ operationId: response.locals["operationId"] as unknown }),
    customLogLevel: (_request, response, error) =>
      error !== undefined || response.statusCode >= 500 ? "error" : "info",
  });
}
