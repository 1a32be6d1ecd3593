import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { createRequire } from "node:module";

/** How turbo is run: `inherit` shows its output, and `pipe` returns it. */
interface TurboOptions {
  stdio: "inherit" | "pipe";
  env?: NodeJS.ProcessEnv;
}

/**
 * Runs turbo without telemetry. It runs as a program of Node, because Windows has no executable `turbo`. The result has an
 * `error` if turbo is not installed.
 */
export function runTurbo(args: string[], { stdio, env = {} }: TurboOptions): SpawnSyncReturns<string> {
  const turbo = findTurbo();
  if (turbo === undefined) {
    const error = new Error("it is not installed");
    return { pid: 0, output: [], stdout: "", stderr: "", status: null, signal: null, error };
  }
  const all = { ...env, ...process.env, DO_NOT_TRACK: "1" };
  return spawnSync(process.execPath, [turbo, ...args], { encoding: "utf8", stdio, env: all });
}

function findTurbo(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("turbo/bin/turbo");
  } catch {
    return undefined;
  }
}
