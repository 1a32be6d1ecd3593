import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import express from "express";
import { onTestFinished } from "vitest";
import { implement, type OpenApiDocument } from "../src/index.ts";

/** The input of a handler, as far as these tests read it. */
export interface StreamInput {
  signal: AbortSignal;
  lastEventId: string | undefined;
}

/** A server of one operation, `GET /x`, that responds with a stream. */
export interface StreamServer {
  url: string;
  /** The errors that reached Express's error handling. */
  errors: Error[];
  /** Sends a request as text, and returns the connection. It reads nothing by itself. */
  open: (request: string) => Promise<Socket>;
}

/** The declaration and the handler of a server's operation. */
export interface StreamOperation {
  content: Record<string, object>;
  handler: ((input: StreamInput) => object) | { handler: () => object; isCacheable: true };
  openapi?: string;
  components?: object;
  responses?: object;
  headers?: Record<string, object>;
  options?: object;
  /** A middleware before the operation. */
  before?: express.RequestHandler;
}

/** Serves one operation until the end of the test. Errors before the head become a 500 with their message. */
export async function serveStream(operation: StreamOperation): Promise<StreamServer> {
  const {
    content,
    handler,
    openapi = "3.1.1",
    components = {},
    headers = {},
    responses = {},
    options = {},
    before = (_request, _response, next) => next(),
  } = operation;
  const get = { operationId: "x", responses: { 200: { description: "", content, headers }, ...responses } };
  const document: OpenApiDocument = { openapi, paths: { "/x": { get } }, components };
  const errors: Error[] = [];
  const app = express().use(before, implement()({ document, handlers: { x: handler } as never, ...options }));
  app.use(((error: Error, _request, response, _next) => {
    errors.push(error);
    if (!response.headersSent && !response.destroyed) response.status(500).json({ fault: error.message });
  }) as express.ErrorRequestHandler);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const { port } = server.address() as AddressInfo;
  const open = async (request: string): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.pause().write(request);
    await once(socket, "connect");
    return socket;
  };
  return { url: `http://127.0.0.1:${port}/x`, errors, open };
}

/** A request that ends its connection. */
export const GET = "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/** Everything that a server sends to a request. */
export async function exchange(server: StreamServer, request: string): Promise<string> {
  return text(await server.open(request));
}

/** An endless producer of chunks that records its end. */
export function endless<Chunk>(chunk: (index: number) => Chunk) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const state = { produced: 0, returned: 0, ended };
  const iterator: AsyncIterableIterator<Chunk> = {
    next: async () => ({ done: false, value: chunk(state.produced++) }),
    return: async () => {
      state.returned++;
      end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return { iterator, state };
}

/** Resolves with a number once it has not changed for 100 turns of the event loop. */
export async function settle(read: () => number): Promise<number> {
  let [last, unchanged] = [read(), 0];
  while (unchanged < 100 || last === 0) {
    await turn();
    unchanged = read() === last ? unchanged + 1 : 0;
    last = read();
  }
  return last;
}
