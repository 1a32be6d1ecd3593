#!/usr/bin/env node
await import("@openapi-operations/command-line/node-version");
await import("../contract.ts");
