import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import type { createProgram } from "@platform/command-line";

type Command = ReturnType<typeof createProgram>;

/** The options of turbo that our commands have too. */
export interface TurboOptions {
  force?: true;
  filter?: string[];
}

/** Adds the options of turbo to a command. */
export function addTurboOptions(program: Command): Command {
  return program
    .option("--force", "run the tasks again whose results are in the cache")
    .option("--filter <package...>", "only tasks of these packages");
}

/** Returns options as arguments of turbo. */
export function turboArguments({ force, filter = [] }: TurboOptions): string[] {
  return [...(force === true ? ["--force"] : []), ...filter.map((name) => `--filter=${name}`)];
}

/** How turbo is run: `inherit` shows its output, and `pipe` returns it. */
interface RunOptions {
  stdio: "inherit" | "pipe";
  env?: NodeJS.ProcessEnv;
}

/** Runs turbo without telemetry. It runs as a program of Node, because Windows has no executable `turbo`. */
export function runTurbo(args: string[], { stdio, env = {} }: RunOptions): SpawnSyncReturns<string> {
  const turbo = createRequire(import.meta.url).resolve("turbo/bin/turbo");
  const all = { ...env, ...process.env, DO_NOT_TRACK: "1" };
  return spawnSync(process.execPath, [turbo, ...args], { encoding: "utf8", stdio, env: all });
}
