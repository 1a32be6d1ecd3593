import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A running `pnpm dev`. */
export interface Dev {
  /** The next printed line; rejects if the process has ended. */
  line: () => Promise<string>;
  /** The next printed report, as a whole. */
  report: () => Promise<string>;
  /** The report of a save of a file. On a busy machine, two saves at once may get a report each. */
  reportOn: (file: string) => Promise<string>;
  /** The last reported address of the service. */
  address: () => string;
  /** Sends SIGINT or another signal, which also ends the service, and resolves with the exit code. */
  interrupt: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** The command of `pnpm dev` in a checkout of this repository. */
export const DEV = [process.execPath, "packages/contract-tools/src/dev/main.ts"];

/** Starts `pnpm dev` in the folder of a repository, with its service on a free port. Its reports can be read from the first on. */
export function startDev(directory: string, [command = "", ...words] = DEV, env = process.env): Dev {
  const child = spawn(command, words, {
    cwd: directory,
    env: { ...env, FORCE_COLOR: "0", PORT: "0", LOG_LEVEL: "silent" },
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
  const report = async (): Promise<string> => {
    const printed = [await line()];
    while (!/^ {2}(next|failed) /.test(printed.at(-1)!)) printed.push(await line());
    return printed.join("\n");
  };
  return {
    line,
    report,
    reportOn: async (file) => {
      for (;;) {
        const printed = await report();
        if (printed.split("\n").some((text) => /^\d\d:\d\d:\d\d /.test(text) && text.includes(file))) return printed;
      }
    },
    address: () => address,
    interrupt: async (signal = "SIGINT") => {
      kill(signal);
      return (await exited)[0];
    },
  };
}
