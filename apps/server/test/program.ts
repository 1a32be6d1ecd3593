import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as support from "@platform/test-support/program";
import { inject } from "vitest";

/** The file that a person starts. */
export const ENTRY = inject("program");

/** A program of the tests' own, by its name in `programs`. */
export function ownProgram(name: string): string {
  return resolve(ENTRY, `../../src/${name}.js`);
}

/** Compiled code is shared for as long as the tests run. */
const ENVIRONMENT = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: resolve(ENTRY, "../../compiled") };

/** A command that does not end is ended, so that it does not outlive the tests; in milliseconds. */
const COMMAND_TIMEOUT = 120_000;

/** The service as a process of its own. */
export interface Program extends support.Program {
  /** The quickstart key of its folder, in development. */
  key: string | undefined;
}

/**
 * Starts the service in a folder, where its database goes, on a free port, behind the words of another program that runs
 * it, if any. It has ended when the test is finished.
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

/** Runs a command of the command line to its end. */
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
      (_, stdout, stderr) => resolved({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
