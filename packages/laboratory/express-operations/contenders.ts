import express, { type ErrorRequestHandler, type Express } from "express";
import { implement, type OpenApiDocument, Problem } from "express-operations";
import { operationsOf } from "openapi-document";
import { MEASURED } from "./documents.ts";

/** Ways to serve every operation of a document, of which the measured one responds with `keysOf`. */
export const contenders = { ours, eov } satisfies Record<
  string,
  (document: OpenApiDocument) => Express | Promise<Express>
>;

export type Contender = keyof typeof contenders;

/** The response body of the measured operation, the same for each contender. */
export function keysOf(username: string, perPage: number): { id: number; key: string }[] {
  return [1, 2].map((id) => ({ id: id * perPage, key: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI ${username}` }));
}

function ours(document: OpenApiDocument): Express {
  const nothing = () => {
    throw new Problem(404, "not_found", "Only the measured operation has a handler.");
  };
  const handlers: Record<string, unknown> = Object.fromEntries(operationsOf(document).map(({ id }) => [id, nothing]));
  handlers[MEASURED] = ({ path, query }: { path: { username: string }; query: { per_page: number } }) => {
    return { status: 200, body: keysOf(path.username, query.per_page) };
  };
  return express().use(implement()({ document, handlers: handlers as never }));
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
