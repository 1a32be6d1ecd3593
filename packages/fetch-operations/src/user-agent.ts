import type { Api } from "./api.ts";
import type { Part } from "./call/exchange.ts";

/** Sends the name and the version of the client and of the runtime as `User-Agent`, or that of the option `userAgent`. */
export const userAgents: Part = {
  options: ["userAgent"],
  headers: (api, { userAgent = userAgentOf(api) }) => ({ "User-Agent": userAgent || undefined }),
};

/**
 * Returns the `User-Agent` of a client, with name and version of the runtime. Returns undefined in browsers, where the header
 * would cost each request to another origin a preflight.
 */
function userAgentOf({ name, version }: Api): string | undefined {
  const { process, navigator } = globalThis as {
    process?: { versions?: Record<string, string | undefined> };
    navigator?: { userAgent?: string };
  };
  const versions = process?.versions;
  // Bun and Deno have a version of Node as well.
  const runtime = ["bun", "deno", "node"].find((candidate) => versions?.[candidate]);
  const isWorker = navigator?.userAgent === "Cloudflare-Workers";
  if (!runtime && !isWorker) return undefined;
  return `${name.toLowerCase()}-client/${version} ${isWorker ? "workerd" : `${runtime}/${versions![runtime!]}`}`;
}
