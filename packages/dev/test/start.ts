import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A running `pnpm dev`. */
export interface Dev {
  /** The next printed line; rejects if the process has ended. */
  line: () => Promise<string>;
  /** The next printed report, as a whole. */
  report: () => Promise<string>;
  /** The last reported address of the service. */
  address: () => string;
  /** Sends SIGINT or another signal, which also ends the service, and resolves with the exit code. */
  interrupt: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Starts `pnpm dev` in a checkout, with a service on a free port. Its reports can be read from the first on. */
export function startDev(directory: string, ...args: string[]): Dev {
  const child = spawn(process.execPath, [join(directory, "packages/dev/src/main.ts"), ...args], {
    cwd: directory,
    env: { ...process.env, FORCE_COLOR: "0", PORT: "0", LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return devOf(child, (signal) => child.kill(signal));
}

/** Reads what a process that runs `pnpm dev` prints, and ends it by `kill`. */
export function devOf(child: ChildProcessByStdio<null, Readable, null>, kill: (signal: NodeJS.Signals) => void): Dev {
  const exited = once(child, "exit") as Promise<[number | null]>;
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let address = "";
  const line = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("pnpm dev has ended.");
    address = / at (http:\S+)$/.exec(value)?.[1] ?? address;
    return value;
  };
  return {
    line,
    report: async () => {
      const report = [await line()];
      while (!/^ {2}(next|failed) /.test(report.at(-1)!)) report.push(await line());
      return report.join("\n");
    },
    address: () => address,
    interrupt: async (signal = "SIGINT") => {
      kill(signal);
      return (await exited)[0];
    },
  };
}
