import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** What a person starts. */
export const ENTRY = fileURLToPath(new URL("../bin/petstore.js", import.meta.url));

/** The service as a process of its own. */
export interface Program {
  child: ChildProcess;
  baseUrl: string;
  /** Its quickstart key; undefined outside development. */
  key: string | undefined;
  /** Everything it has printed. */
  output: () => string;
  /** Sends a signal and gives the exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/**
 * Starts the service in a folder, where its database goes, on a free port, behind the words of another program that runs
 * it, if any. It is ended after the test at the latest.
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
    env: { PATH: process.env["PATH"], PORT: "0", SHUTDOWN_DELAY: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit") as Promise<[number | null]>;
  let output = "";
  const baseUrl = await new Promise<string>((done, failed) => {
    void exited.then(([code]) => failed(new Error(`exited with ${code}: ${output}`)));
    createInterface(child.stdout).on("line", (line) => {
      output += `${line}\n`;
      const address = /listening on (\S+)$/.exec(line)?.[1];
      if (address !== undefined) done(address);
    });
  });
  return {
    child,
    baseUrl,
    key: env["PETSTORE_ENV"] === undefined ? await readKey(folder) : undefined,
    output: () => output,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      return (await exited)[0];
    },
  };
}

async function readKey(folder: string): Promise<string> {
  return (await readFile(join(folder, "data/quickstart.key"), "utf8")).trim();
}

/** Runs a command of the command line to its end. */
export function run(
  words: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [ENTRY, ...words],
      { env: { PATH: process.env["PATH"], ...env } },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
