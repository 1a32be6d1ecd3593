#!/usr/bin/env node
// Plain JavaScript, so that an older Node gets this far. It starts the command with a newer one, which npm has as a package.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const main = new URL("../dist/main.js", import.meta.url);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 15)) await import(main.href);
else {
  const versions = JSON.parse(readFileSync(new URL("../dist/product/versions.json", import.meta.url), "utf8"));
  const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const node = Object.entries(versions.root.optionalDependencies).find(([name]) => name.endsWith(system));
  const npm = process.env.npm_execpath ?? "";
  if (node === undefined || !npm.endsWith("npm-cli.js")) {
    console.error(
      `Node ${process.versions.node} is too old for this command, which needs 22.15 or newer: install one.`,
    );
    process.exit(1);
  }
  const words = ["exec", "--yes", `--package=${node.join("@")}`, "--", "node", fileURLToPath(main)];
  const { status } = spawnSync(process.execPath, [npm, ...words, ...process.argv.slice(2)], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
