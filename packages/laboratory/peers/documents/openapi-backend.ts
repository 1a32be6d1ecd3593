import express, { type Express } from "express";
import { OpenAPIBackend } from "openapi-backend";
import type { Contender } from "../../express-operations/contenders.ts";
import { keysOf, MEASURED } from "../../express-operations/documents.ts";

/** openapi-backend in Express as its README shows, with the option `quick` for large documents. */
export const serve: Contender = async (document) => {
  const api = new OpenAPIBackend({
    definition: document as never,
    quick: true,
    ajvOpts: { strict: false, logger: false },
  });
  api.register({
    [MEASURED]: ({ request }: Exchange) => keysOf(request.params.username!, Number(request.query.per_page)),
    validationFail: () => undefined,
    notImplemented: () => undefined,
    notFound: () => undefined,
  } as never);
  await api.init();
  const app: Express = express().use(express.json());
  return app.use(async ({ method, path, query, headers, body }, response) => {
    const request = { method, path, query: query as never, headers: headers as never, body: body as unknown };
    const result = (await api.handleRequest(request)) as object | undefined;
    if (result === undefined) response.status(404).end();
    else response.json(result);
  });
};

interface Exchange {
  request: { params: { username?: string }; query: { per_page?: string } };
}
