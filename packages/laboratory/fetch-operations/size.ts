import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Client } from "./clients.ts";

interface Rolldown {
  rolldown: (options: object) => Promise<{
    generate: (options: object) => Promise<{ output: { code?: string }[] }>;
  }>;
}

/** Returns the bytes of a bundle for browsers with one call, minified and compressed by gzip. */
export async function sizeOf(folder: string, { oneCall }: Client): Promise<number> {
  const module = join(import.meta.dirname, "node_modules/rolldown/dist/index.mjs");
  const { rolldown } = (await import(pathToFileURL(module).href)) as Rolldown;
  const input = join(folder, "one-call.js");
  writeFileSync(input, oneCall);
  const bundle = await rolldown({ input, platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ minify: true, format: "esm" });
  return output.reduce((sum, { code = "" }) => sum + gzipSync(code, { level: 9 }).length, 0);
}
