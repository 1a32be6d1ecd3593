import { type OpenApiDocument, type OperationEntry, type Reference, resolve } from "openapi-document";

/** https://spec.openapis.org/oas/v3.1.1#server-object */
export interface Server {
  url: string;
  variables?: Record<string, { default: string }>;
}

interface WithServers {
  servers?: Server[];
}

/** Returns the servers of a document. Without any, its own host serves it (OpenAPI 3.1, "OpenAPI Object", `servers`). */
export function sharedServers(document: OpenApiDocument): [Server, ...Server[]] {
  const [first = { url: "/" }, ...others] = (document as WithServers).servers ?? [];
  return [first, ...others];
}

/** Returns the servers of an operation or of its path item. It has none of its own if it has one of the document's. */
export function ownServers(document: OpenApiDocument, { path, operation }: OperationEntry): Server[] {
  const item = resolve<WithServers>(document, (document.paths as Record<string, WithServers | Reference>)[path]!);
  const servers = (operation as WithServers).servers ?? item.servers ?? [];
  const shared = new Set(sharedServers(document).map(spellingOf));
  return servers.some((server) => shared.has(spellingOf(server))) ? [] : servers;
}

/** Returns the URL of a server with the defaults of its variables. */
export function defaultUrl({ url, variables = {} }: Server): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (text, name: string) => variables[name]?.default ?? text);
}

/** Returns one spelling of all URLs that name the same server. */
function spellingOf(server: Server): string {
  const url = defaultUrl(server);
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, "");
}
