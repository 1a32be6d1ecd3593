#!/usr/bin/env node
/** `start-service`: updates the generated files, prints output only if that fails, then runs the server in this process. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createProgram, scriptCommand } from "@openapi-operations/command-line";
import { ROOT } from "openapi-contract/paths";

/** How often this checks whether npx still runs, in milliseconds. */
const CHECK_INTERVAL_MS = 1_000;

createProgram("start-service", {
  description: "Generates if the contract has changed, and starts the service. Settings are environment variables.",
  folder: import.meta.dirname,
  examples: [scriptCommand("start")],
}).parse();

const parents = parentsUpToNpx();
// The script `generate` of the root: https://nodejs.org/api/cli.html#--run
const { status, stdout, stderr } = spawnSync(process.execPath, ["--run", "generate"], {
  cwd: ROOT,
  encoding: "utf8",
  env: { ...process.env, DO_NOT_TRACK: "1" }, // turbo sends no telemetry
});
if (status === 0) {
  // npm forwards a signal only to its shell, so pnpm and this process would go on. The service stops on "disconnect", as if
  // its parent process had ended.
  const timer = setInterval(() => {
    if ([...parents].some(([child, parent]) => parentOf(child) !== parent)) process.emit("disconnect");
  }, CHECK_INTERVAL_MS);
  timer.unref();
  process.argv.push("serve");
  await import(pathToFileURL(join(ROOT, "apps/server/bin/service.js")).href);
} else {
  console.error(stdout + stderr);
  process.exitCode = 1;
}

/** Returns the parents of this process and its ancestors up to `npx`, by child. Without `/proc` or `npx`, there are none. */
function parentsUpToNpx(): Map<number, number> {
  const found = new Map<number, number>();
  let pid = process.pid;
  while (!read(pid, "cmdline").startsWith("npm exec ")) {
    const parent = parentOf(pid);
    if (parent === 0) return new Map();
    found.set(pid, parent);
    pid = parent;
  }
  return found;
}

/** Reads the fourth field, which follows a name in parentheses that may contain any character: proc_pid_stat(5). */
function parentOf(pid: number): number {
  return Number(/^\d+ \([^]*\) \S (\d+) /.exec(read(pid, "stat"))?.[1] ?? 0);
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // the process has ended, or there is no /proc
  }
}
