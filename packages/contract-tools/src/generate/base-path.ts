import { normalizePath } from "openapi-document";

/** A Server Object: https://spec.openapis.org/oas/v3.1.1#server-object */
interface Server {
  url: string;
  variables?: Record<string, { default?: string }>;
}

/**
 * Returns the path of the first server of a document, such as `/v1`, with the defaults of its variables and normalized escapes.
 * Returns an empty string for a document without servers, or whose first server has no path.
 */
export function basePathOf({ servers }: { servers?: unknown }): string {
  const [server] = (servers ?? []) as Server[];
  const url = (server?.url ?? "").replaceAll(
    /\{([^{}]+)\}/g,
    (_, name: string) => server?.variables?.[name]?.default ?? name,
  );
  const path = URL.parse(url, "http://localhost")?.pathname ?? "";
  return normalizePath(path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, ""));
}
