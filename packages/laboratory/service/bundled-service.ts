import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "../../../apps/server/build.ts";

let bundled: Promise<string> | undefined;

/** Returns the URL of `service.ts`, bundled once, in the same way as by `build`. */
export function bundledService(): Promise<string> {
  return (bundled ??= bundleService());
}

async function bundleService(): Promise<string> {
  // Inside node_modules, so that packages outside the bundle are found.
  const folder = mkdtempSync(join(import.meta.dirname, "../../../apps/server/node_modules/.bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  await bundle(folder, { service: join(import.meta.dirname, "service.ts") });
  return pathToFileURL(join(folder, "src/service.js")).href;
}
