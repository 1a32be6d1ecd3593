#!/usr/bin/env node
/** `openapi-contract`: checks a contract, compares it before a merge, and releases it. */
import { runProgram } from "@openapi-operations/command-line";
import { contractProgram } from "./program.ts";

await runProgram(
  contractProgram({ name: "openapi-contract", call: "npx openapi-contract", folder: import.meta.dirname }),
);
