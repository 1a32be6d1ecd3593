import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { inject, onTestFinished } from "vitest";

/** What a person starts. */
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
export interface Program {
  child: ChildProcess;
  baseUrl: string;
  /** The quickstart key of its folder, in development. */
  key: string | undefined;
  /** Everything it has printed. */
  output: () => string;
  /** Sends a signal and gives the exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
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
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...ENVIRONMENT, PORT: "0", SHUTDOWN_DELAY: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close") as Promise<[number | null]>;
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    child.kill(signal);
    return (await ended)[0];
  };
  onTestFinished(async () => void (await stop("SIGKILL")));
  let output = "";
  const baseUrl = await new Promise<string>((done, failed) => {
    void ended.then(([code]) => failed(new Error(`exited with ${code}: ${output}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const address = /listening on (\S+)\n/.exec(output)?.[1];
        if (address !== undefined) done(address);
      });
    }
  });
  const key = await readFile(join(folder, "data/quickstart.key"), "utf8").catch(() => undefined);
  return { child, baseUrl, key: key?.trim(), output: () => output, stop };
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
