import type { RequestHandler, Router } from "express";
import { entityTagOf, isNotModified } from "express-operations";
import { readOnlyRoutes } from "../http/express-handlers.ts";
import { originOf } from "../http/forwarded.ts";

/** The fields of the OpenAPI document that the service reads. */
export interface ServedDocument {
  info: { title: string; version: string; description?: string };
  servers?: object[];
  paths?: object;
  components?: { securitySchemes?: object; [section: string]: unknown };
}

/** The placeholder for the service's address. Each response contains the address of its request instead. */
const ADDRESS_PLACEHOLDER = "address-of-the-service";

/**
 * Serves the contract as JSON at `/openapi.json` and as YAML at `/openapi.yaml`. The first server in it is the address of the
 * request, so that tools that import the document call this service. The address is relative if the origin is unknown. The
 * responses have a strong `ETag` (RFC 9110, section 8.8.3) of their bytes. A conditional request gets 304 until the contract
 * changes.
 */
export function contractDocument(document: ServedDocument, basePath: string): Router {
  const servers = [{ url: ADDRESS_PLACEHOLDER, description: "This service" }, ...(document.servers ?? [])];
  const served = { ...document, servers };
  return readOnlyRoutes({
    "/openapi.json": withAddress("application/json", basePath, async () => JSON.stringify(served)),
    "/openapi.yaml": withAddress("application/yaml", basePath, () => toYaml(served)),
  });
}

/** Loads `yaml` at the first request, since most processes never serve the YAML. */
async function toYaml(served: object): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(served, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Sends a string with the address of the request in place of the placeholder. The string is rendered once. */
function withAddress(type: string, basePath: string, render: () => Promise<string>): RequestHandler {
  let rendered: Promise<string[]> | undefined;
  const parts = () => (rendered ??= render().then((text) => text.split(new RegExp(`"?${ADDRESS_PLACEHOLDER}"?`))));
  return tagged({ "Content-Type": type }, async (origin) => (await parts()).join(JSON.stringify(origin + basePath)));
}

/**
 * Sends what `render` returns for the origin of the request, which is empty if it is unknown. The body and its strong `ETag`
 * (RFC 9110, section 8.8.3) are kept until a request has another origin. Passes the request on if there is nothing to send.
 */
export function tagged(
  headers: Record<string, string>,
  render: (origin: string) => Promise<string | undefined>,
): RequestHandler {
  let latest: { origin: string; body: Buffer; tag: string } | undefined;
  return async (request, response, next) => {
    const origin = originOf(request) ?? "";
    let current = latest;
    if (current?.origin !== origin) {
      const text = await render(origin);
      if (text === undefined) return next();
      const body = Buffer.from(text);
      latest = current = { origin, body, tag: entityTagOf(body) };
    }
    const { body, tag } = current;
    response.setHeader("ETag", tag);
    if (isNotModified(request.headers["if-none-match"], tag)) return void response.writeHead(304).end();
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.send(body);
  };
}
