import { cloneInstalled } from "@petstore/repo-checks/clone";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of a clone that all files of tests share. */
    clone: string;
  }
}

/** Makes one clone for all. */
export default function setup(project: TestProject): () => void {
  const clone = cloneInstalled();
  project.provide("clone", clone.directory);
  return () => clone[Symbol.dispose]();
}
