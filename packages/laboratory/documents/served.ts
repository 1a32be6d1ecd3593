import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { implement, type OpenApiDocument } from "express-operations";

/** The response of every handler. */
export interface Reply {
  status: number;
  contentType: string | undefined;
  /** A value for JSON, otherwise text. */
  body: unknown;
}

/** A server of a document. */
export interface Served {
  port: number;
  /** Why the last request has another response than the handlers return, if there is a reason. */
  lastError: () => Error | undefined;
  close: () => Promise<void>;
}

type Document = OpenApiDocument & { components?: { securitySchemes?: object } };

/** Serves a document with express-operations. `reply` returns the response of each operation. Rejects if it does not start. */
export async function serve(document: Document, operationIds: string[], reply: () => Reply): Promise<Served> {
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  let lastError: Error | undefined;
  const remember: ErrorRequestHandler = (error, _request, response, _next) => {
    lastError = error as Error;
    if (response.headersSent) response.destroy();
    else response.status(500).end();
  };
  const handle = implement<Record<string, never>>()({
    document,
    handlers: Object.fromEntries(operationIds.map((id) => [id, reply])) as never,
    security: Object.fromEntries(schemes.map((name) => [name, () => ({ caller: name })])),
    bodyLimit: 64 * 2 ** 20,
    problemFormat: (problem) => {
      lastError = problem;
      return { body: { message: problem.message } };
    },
  });
  const forget: RequestHandler = (_request, _response, next) => {
    lastError = undefined;
    next();
  };
  const server = createServer(express().use(forget, handle, remember)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    lastError: () => lastError,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
