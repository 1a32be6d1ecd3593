import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { implement } from "express-operations";

/** A server on a free port. */
export interface TestServer extends AsyncDisposable {
  baseUrl: string;
}

/** Starts a server. */
export async function serve(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Serves a document by express-operations. Requests that it rejects have its message as their body. */
export async function serveDocument(
  document: object,
  handlers: Record<string, (input: never) => unknown>,
  security: Record<string, (credential: string) => unknown> = {},
): Promise<TestServer> {
  const implementation = implement<Record<string, never>>()({
    document: document as never,
    handlers: handlers as never,
    security: security as never,
    bodyLimit: 1_000_000,
  });
  return serve(express().use(implementation));
}
