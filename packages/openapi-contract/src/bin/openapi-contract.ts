#!/usr/bin/env node
/** `openapi-contract`: checks a contract, compares it before a merge, and releases it. */
await import("@openapi-operations/command-line/node-version");
const { runProgram } = await import("@openapi-operations/command-line");
const { contractProgram } = await import("../program.ts");

const name = "openapi-contract";
await runProgram(contractProgram({ name, call: `npx ${name}`, folder: import.meta.dirname }));
