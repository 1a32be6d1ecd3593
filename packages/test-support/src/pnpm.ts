import { execFileSync, execSync } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Returns the path of the program that `npx -y pnpm@12.21.0` starts. Starting it directly saves up to a second. A shell also
 * finds `npx.cmd`.
 */
export function pnpmPath(): string {
  const command = "npx -y pnpm@12.21.0 exec node -p process.env.npm_execpath";
  return execSync(command, { cwd: tmpdir(), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

const PATIENCE_MILLISECONDS = 120_000;

/** Packs the package in a folder. Tests pack in turn, because `prepack` deletes and writes the `dist` of the package. */
export function pack(source: string, tarball: string): void {
  const words = ["pack", "--silent", "--out", tarball];
  alone(join(source, "node_modules/.packing"), () =>
    execFileSync(pnpmPath(), words, { cwd: source, stdio: ["ignore", "ignore", "pipe"] }),
  );
}

/** Runs `work` while no other process runs work with the same lock, which is the path of a folder. */
export function alone(lock: string, work: () => unknown): void {
  waitFor(lock);
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Makes the folder of the lock once no other process has it. A lock that a killed process left is removed. */
function waitFor(lock: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (!isMade(lock)) {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > PATIENCE_MILLISECONDS) rmSync(lock, { recursive: true, force: true });
    else Atomics.wait(pause, 0, 0, 100);
  }
}

function isMade(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
