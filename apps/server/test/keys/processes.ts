import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const ENTRY = fileURLToPath(new URL("../../bin/petstore.js", import.meta.url));

/** A command that does not end is ended, so that it does not outlive the tests; in milliseconds. */
const TIMEOUT = 20_000;

/** What a command printed, and its exit code. */
export interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command line to its end. */
export function petstore(words: string[], env: NodeJS.ProcessEnv): Promise<Result> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [ENTRY, ...words],
      { env: environment(env), timeout: TIMEOUT },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** A server in a process of its own. */
export interface ServerProcess {
  baseUrl: string;
  /** Everything it has printed. */
  output: () => string;
  /** Ends it as a service manager does, and gives the exit code. */
  stop: () => Promise<number | null>;
}

/** Starts a server on a free port; after the test it is gone. Rejects with what it printed if it does not start. */
export function serve(env: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const child = spawn(process.execPath, [ENTRY], {
    cwd: tmpdir(),
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  onTestFinished(async () => void (await stop(child, closed)));
  let output = "";
  return new Promise((resolve, reject) => {
    void closed.then(() => reject(new Error(output)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const baseUrl = /listening on (\S+)\n/.exec(output)?.[1];
        if (baseUrl !== undefined) resolve({ baseUrl, output: () => output, stop: () => stop(child, closed) });
      });
    }
  });
}

async function stop(child: ChildProcess, closed: Promise<[number | null]>): Promise<number | null> {
  child.kill("SIGTERM");
  return (await closed)[0];
}

function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], PORT: "0", ...env };
}
