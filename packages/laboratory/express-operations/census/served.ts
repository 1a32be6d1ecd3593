import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler } from "express";
import { implement } from "express-operations";
import type { Description, DescribedOperation } from "./description.ts";

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
  /** The last error that a handler did not cause. */
  lastError: () => unknown;
  close: () => Promise<void>;
}

/** Serves a document with express-operations. `reply` returns the response of each operation. Rejects if it does not start. */
export async function serve(
  document: Description,
  operations: DescribedOperation[],
  reply: () => Reply,
): Promise<Served> {
  const schemes = Object.keys(document.components?.["securitySchemes"] ?? {});
  let lastError: unknown;
  const remember: ErrorRequestHandler = (error, _request, response, _next) => {
    lastError = error;
    if (response.headersSent) response.destroy();
    else response.status(500).end();
  };
  const handle = implement<Record<string, never>>()({
    document,
    handlers: Object.fromEntries(operations.map(({ id }) => [id, reply])) as never,
    security: Object.fromEntries(schemes.map((name) => [name, () => ({ caller: name })])),
    bodyLimit: 64 * 2 ** 20,
    problemFormat: (problem) => {
      lastError = problem;
      return { body: { message: problem.message } };
    },
  });
  const server = createServer(express().use(handle).use(remember)).listen(0, "127.0.0.1");
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
