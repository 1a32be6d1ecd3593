import { mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { bundle } from "@openapi-operations/contract-tools/build";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The file that a person starts. */
    program: string;
  }
}

/** Bundles the service once, as for deployment, so that it starts faster. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(import.meta.dirname, "../node_modules/.program-")); // below the packages that are not bundled
  await bundle(resolve(import.meta.dirname, ".."), folder);
  provide("program", join(folder, "bin/service.js"));
  return () => rm(folder, { recursive: true });
}
