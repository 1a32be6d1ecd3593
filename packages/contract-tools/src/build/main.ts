#!/usr/bin/env node
/** `build-service`: builds the service of the package in whose folder it is called. */
import { resolve } from "node:path";
import { createProgram, runProgram } from "@openapi-operations/command-line";
import { build } from "./build.ts";

const program = createProgram("build-service", {
  description: "Builds the service of this package into a folder that runs wherever Node does.",
  folder: import.meta.dirname,
})
  .argument("[folder]", "the folder, which is replaced", "dist")
  .action((folder: string) => build(process.cwd(), resolve(folder)));

await runProgram(program);
