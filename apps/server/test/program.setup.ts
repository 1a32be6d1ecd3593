import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundle, PROGRAM } from "../build.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What a person starts. */
    program: string;
  }
}

/** Bundles the service once, as it is deployed: the tests start it often, and so it starts in half the time. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(import.meta.dirname, "../node_modules/.program-")); // below the packages that are not bundled
  await bundle(folder, { ...PROGRAM, starter: join(import.meta.dirname, "starter.ts") });
  provide("program", join(folder, "bin/petstore.js"));
  return () => rm(folder, { recursive: true });
}
