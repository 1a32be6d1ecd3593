import { document } from "@petstore/contract/document";
import express, { type RequestHandler, type Router } from "express";
import { entityTagOf, isNamed } from "express-operations";
import { onlyRead } from "./http/only-read.ts";

/**
 * The contract at `/openapi.json` and `/openapi.yaml`, one document in two notations. Each has a strong `ETag` (RFC 9110,
 * section 8.8.3) of its bytes, so that asking again costs a 304 until the contract changes.
 */
export function contractDocument(): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.all(
    "/openapi.json",
    onlyRead,
    bytes("application/json", async () => JSON.stringify(document)),
  );
  router.all("/openapi.yaml", onlyRead, bytes("application/yaml", inYaml));
  return router;
}

/** Loaded at the first request, as most who start the service never ask. */
async function inYaml(): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Answers with a text made once. */
function bytes(type: string, textOf: () => Promise<string>): RequestHandler {
  let made: Promise<{ body: Buffer; tag: string }> | undefined;
  const make = async () => {
    const body = Buffer.from(await textOf());
    return { body, tag: entityTagOf(body) };
  };
  return async (request, response) => {
    const { body, tag } = await (made ??= make());
    response.set({ "Cache-Control": "no-cache", ETag: tag });
    if (isNamed(request.headers["if-none-match"], tag)) response.writeHead(304).end();
    else response.setHeader("Content-Type", type).send(body);
  };
}
