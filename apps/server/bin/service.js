#!/usr/bin/env node
// Plain JavaScript, so that an older Node gets this far: there TypeScript does not load and better-sqlite3 crashes.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const { bin } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const [name] = Object.keys(bin);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (existsSync(new URL("../src/main.js", import.meta.url))) {
  if (major > 22 || (major === 22 && minor >= 15)) await import(new URL("../src/main.js", import.meta.url).href);
  else rejectNode("22.15 or newer: install one.");
} else if (process.features.typescript) {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  if (process.cwd().startsWith(root)) process.chdir(root); // a package that has this program runs it in its own folder
  await import("../src/main.ts");
} else {
  const hasNode = existsSync(new URL("../../../pnpm-workspace.yaml", import.meta.url)); // not inside of another workspace
  const remedy = hasNode
    ? `run it through \`npx -y pnpm@12.21.0 ${name} …\`, which brings its own Node.`
    : "install one.";
  rejectNode(`22.18 or newer: ${remedy}`);
}

function rejectNode(remedy) {
  console.error(`Node ${process.versions.node} cannot run this service, which needs ${remedy}`);
  process.exitCode = 1;
}
