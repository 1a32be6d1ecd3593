import { globSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { bundle } from "@openapi-operations/contract-tools/build";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The file that a person starts. */
    program: string;
  }
}

/** Bundles the service once, as for deployment, and the tests' own programs, so that they start faster. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(import.meta.dirname, "../node_modules/.program-")); // below the packages that are not bundled
  const own = globSync(join(import.meta.dirname, "programs/*.ts")).map((path) => [basename(path, ".ts"), path]);
  await bundle(resolve(import.meta.dirname, ".."), folder, Object.fromEntries(own) as Record<string, string>);
  provide("program", join(folder, "bin/service.js"));
  return () => rm(folder, { recursive: true });
}
