#!/usr/bin/env node
await import("./node-version.ts");
await import("../dev/scaffold.ts");
