import express, { type RequestHandler, type Router } from "express";
import { entityTagOf, isNamed } from "express-operations";
import { allowGetHead } from "../http/allow-get-head.ts";
import { originOf } from "../http/request-head.ts";

/** What is used of the document that is served. */
export interface ServedDocument {
  info: { title: string; version: string };
  servers: object[];
}

/** Stands for the address of the service until a request tells it. */
const ADDRESS = "address-of-the-service";

/**
 * The contract at `/openapi.json` and `/openapi.yaml`, one document in two notations. The first server in it is the address
 * of the request, so that an imported document calls this service; a relative one where the origin is unknown. Each has a strong
 * `ETag` (RFC 9110, section 8.8.3) of its bytes, so that asking again costs a 304 until the contract changes.
 */
export function contractDocument(document: ServedDocument, basePath: string): Router {
  const servers = [{ url: ADDRESS, description: "This service" }, ...document.servers];
  const served = { ...document, servers };
  const router = express.Router({ caseSensitive: true, strict: true });
  router.all(
    "/openapi.json",
    allowGetHead,
    addressed("application/json", basePath, async () => JSON.stringify(served)),
  );
  router.all(
    "/openapi.yaml",
    allowGetHead,
    addressed("application/yaml", basePath, () => inYaml(served)),
  );
  return router;
}

/** Loaded at the first request, as most who start the service never ask. */
async function inYaml(served: object): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(served, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Answers with a text that is made once, and the address of each request in it. */
function addressed(type: string, basePath: string, make: () => Promise<string>): RequestHandler {
  let made: Promise<string[]> | undefined;
  const parts = () => (made ??= make().then((text) => text.split(new RegExp(`"?${ADDRESS}"?`))));
  return async (request, response) => {
    const address = (originOf(request) ?? "") + basePath;
    const body = Buffer.from((await parts()).join(JSON.stringify(address)));
    const tag = entityTagOf(body);
    response.set("ETag", tag);
    if (isNamed(request.headers["if-none-match"], tag)) response.writeHead(304).end();
    else response.setHeader("Content-Type", type).send(body);
  };
}
