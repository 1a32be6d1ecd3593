#!/usr/bin/env node
await import("@openapi-operations/command-line").catch(() => {
  console.error("The packages are not installed. Run `npx -y pnpm@12.21.0 install` first.");
  process.exit(1);
});
await import("../src/start.ts");
