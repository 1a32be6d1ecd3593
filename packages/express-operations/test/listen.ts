import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type RequestHandler } from "express";

/** Serves a handler on a free port, at a path. Errors become a 500 with their message, so that tests can read it. */
export async function listen(handler: RequestHandler, at = "/"): Promise<{ baseUrl: string } & AsyncDisposable> {
  const app = express().enable("case sensitive routing").enable("strict routing");
  app.use(at, handler);
  app.use(((error: Error, _request, response, _next) => {
    response.status(500).json({ fault: error.message });
  }) as express.ErrorRequestHandler);
  const server = createServer(app).on("checkContinue", app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}${at === "/" ? "" : at}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
