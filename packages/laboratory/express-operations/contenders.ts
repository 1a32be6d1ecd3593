import express, { type ErrorRequestHandler, type Express } from "express";
import { implement, type OpenApiDocument, Problem } from "express-operations";
import { operationsOf } from "openapi-document";
import { keysOf, MEASURED } from "./documents.ts";

/** Serves every operation of a document, of which the measured one responds with `keysOf`. */
export type Contender = (document: OpenApiDocument) => Express | Promise<Express>;

/** Loaded only once the peers are installed. */
const BACKEND = new URL("../peers/documents/openapi-backend.ts", import.meta.url);

export const contenders = {
  ours: (document) => ours(document).app,
  "ours, warm": async (document) => {
    const { app, ready } = ours(document, true);
    await ready;
    return app;
  },
  eov,
  "openapi-backend": async (document) => ((await import(BACKEND.href)) as { serve: Contender }).serve(document),
} satisfies Record<string, Contender>;

function ours(document: OpenApiDocument, warm = false): { app: Express; ready: Promise<unknown> } {
  const nothing = () => {
    throw new Problem(404, "not_found", "Only the measured operation has a handler.");
  };
  const handlers: Record<string, unknown> = Object.fromEntries(operationsOf(document).map(({ id }) => [id, nothing]));
  handlers[MEASURED] = ({ path, query }: { path: { username: string }; query: { per_page: number } }) => {
    return { status: 200, body: keysOf(path.username, query.per_page) };
  };
  const operations = implement()({ document, handlers: handlers as never, warm });
  return { app: express().use(operations), ready: operations.ready };
}

/** express-openapi-validator mounted as its README shows, before routes. */
async function eov(document: OpenApiDocument): Promise<Express> {
  const OpenApiValidator = await import("express-openapi-validator");
  const app = express();
  app.use(express.json());
  app.use(OpenApiValidator.middleware({ apiSpec: document as never, validateRequests: true }));
  for (const { id, method, path } of operationsOf(document)) {
    let parameters = 0;
    const route = path.replaceAll(/\{[^}]+\}/g, () => `:p${parameters++}`);
    app[method as "get"](route, (request, response) => {
      if (id !== MEASURED) return void response.status(204).end();
      response.json(keysOf(String(request.params["p0"]), Number(request.query["per_page"])));
    });
  }
  app.use(((error: { status?: number; message: string }, _request, response, _next) => {
    response.status(error.status ?? 500).json({ message: error.message });
  }) as ErrorRequestHandler);
  return app;
}
