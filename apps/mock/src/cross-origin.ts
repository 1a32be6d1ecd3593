import type { RequestHandler } from "express";

/**
 * Lets pages of any origin call the mock, with cookies too. The headers are those of Prism, so that a page behaves alike before
 * both. A preflight gets 204 without reaching an operation.
 */
export const crossOrigin: RequestHandler = (request, response, next) => {
  const { origin, "access-control-request-headers": wanted } = request.headers;
  response.set({
    "Access-Control-Allow-Origin": origin ?? "*",
    "Access-Control-Allow-Headers": wanted ?? "*",
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": "*",
    ...(origin !== undefined && { Vary: "Origin" }),
  });
  if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return next();
  response.set("Access-Control-Allow-Methods", "GET,DELETE,HEAD,PATCH,POST,PUT,OPTIONS");
  response.status(204).end();
};
