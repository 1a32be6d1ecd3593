#!/usr/bin/env node
await import("./node-version.ts");
await import("../dev/main.ts");
