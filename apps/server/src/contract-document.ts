import { createHash } from "node:crypto";
import { document } from "@petstore/contract/document";
import express, { type RequestHandler, type Router } from "express";
import { stringify } from "yaml";

/**
 * The contract at `/openapi.json` and `/openapi.yaml`, one document in two notations. Each has a strong `ETag` (RFC 9110,
 * section 8.8.3) of its bytes, so that asking again costs a 304 until the contract changes.
 */
export function contractDocument(): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get("/openapi.json", bytes("application/json", JSON.stringify(document)));
  router.get(
    "/openapi.yaml",
    bytes("application/yaml", stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })),
  );
  return router;
}

/** Answers with a text made once. */
function bytes(type: string, text: string): RequestHandler {
  const body = Buffer.from(text);
  const tag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  return (request, response) => {
    response.set({ "Cache-Control": "no-cache", ETag: tag });
    if (names(request.headers["if-none-match"], tag)) response.writeHead(304).end();
    else response.setHeader("Content-Type", type).send(body);
  };
}

/**
 * Whether `If-None-Match` names the tag (RFC 9110, section 13.1.2). Express's own `request.fresh` says no to
 * `Cache-Control: no-cache`, which `fetch` adds to each request with this header.
 */
function names(ifNoneMatch: string | undefined, tag: string): boolean {
  const held = (ifNoneMatch ?? "").split(",").map((item) => item.trim().replace(/^W\//, ""));
  return held.some((item) => item === tag || item === "*");
}
