import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** A service as a process of its own. */
export interface Program {
  child: ChildProcess;
  baseUrl: string;
  /** Everything it has printed. */
  output: () => string;
  /** Sends a signal and gives the exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Starts a service that prints `listening on <its URL>`, and gives it once it does. It has ended when the test is finished. */
export async function startProgram(
  [command, ...words]: [command: string, ...words: string[]],
  { cwd, env }: { cwd?: string; env: NodeJS.ProcessEnv },
): Promise<Program> {
  const child = spawn(command, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
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
  return { child, baseUrl, output: () => output, stop };
}
