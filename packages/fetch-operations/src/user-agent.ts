import type { Api } from "./api.ts";

/**
 * Returns the `User-Agent` of a client, with name and version of the runtime. Returns undefined in browsers, where the header
 * would cost each request to another origin a preflight.
 */
export function userAgentOf({ name, version }: Api): string | undefined {
  const { process, navigator, Bun, Deno } = globalThis as {
    process?: { versions?: Record<string, string> };
    navigator?: { userAgent?: string };
    Bun?: { version: string };
    Deno?: { version: { deno: string } };
  };
  const agent = navigator?.userAgent ?? "";
  const runtime =
    (Bun && `bun/${Bun.version}`) ??
    (Deno && `deno/${Deno.version.deno}`) ??
    (agent === "Cloudflare-Workers" ? "workerd" : undefined) ??
    (process?.versions?.["node"] === undefined ? undefined : `node/${process.versions["node"]}`);
  return runtime && `${name.toLowerCase()}-client/${version} ${runtime}`;
}
