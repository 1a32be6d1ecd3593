import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as support from "@platform/test-support/program";
import { inject } from "vitest";

/** The file that a person starts. */
export const ENTRY = inject("program");

/** Compiled code is shared for as long as the tests run. */
const ENVIRONMENT = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: resolve(ENTRY, "../../compiled") };

/** The timeout of a command in milliseconds, so that no command outlives the tests. */
const COMMAND_TIMEOUT = 120_000;

/** The service as a process of its own. */
export interface Program extends support.Program {
  /** The quickstart key of its folder, in development. */
  key: string | undefined;
}

/**
 * Starts the service on a free port, with its database in a folder. `runner` is the command of another program that runs
 * the service, if any. The service ends with the test.
 */
export async function startProgram(
  folder: string,
  env: NodeJS.ProcessEnv = {},
  entry: string = ENTRY,
  runner: string[] = [],
): Promise<Program> {
  const [command, ...words] = [...runner, process.execPath, entry, "serve"];
  const started = await support.startProgram([command, ...words], {
    cwd: folder,
    env: { ...ENVIRONMENT, PORT: "0", SHUTDOWN_DELAY: "0", ...env },
  });
  const key = await readFile(join(folder, "data/quickstart.key"), "utf8").catch(() => undefined);
  return { ...started, key: key?.trim() };
}

/** Progress, which a command on a busy machine prints after a second. */
const PROGRESS = /^(Applying|Checking|Committing|Comparing|Copying|Counting|Examining|Reading|Syncing) .*\n/gm;

/** Runs a command of the command line to its end. Returns what it printed, but for its progress. */
export function run(
  words: string[],
  env: NodeJS.ProcessEnv,
  entry: string = ENTRY,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolved) => {
    const child = execFile(
      process.execPath,
      [entry, ...words],
      { env: { ...ENVIRONMENT, ...env }, timeout: COMMAND_TIMEOUT },
      (_, stdout, stderr) => resolved({ code: child.exitCode ?? -1, stdout, stderr: stderr.replaceAll(PROGRESS, "") }),
    );
  });
}
