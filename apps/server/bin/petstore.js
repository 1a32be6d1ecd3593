#!/usr/bin/env node
// Plain JavaScript, so that an older Node gets this far: there TypeScript does not load and better-sqlite3 crashes.
if (process.features.typescript) {
  await import("../src/main.ts");
} else {
  console.error(
    `Node ${process.versions.node} cannot run the petstore, which needs 22.18 or newer: ` +
      "run it through `npx -y pnpm@12.21.0 petstore …`, which brings its own Node.",
  );
  process.exitCode = 1;
}
