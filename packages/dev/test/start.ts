import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A running `pnpm dev`. */
export interface Dev {
  /** The next report that it prints, whole. */
  report: () => Promise<string>;
  /** Where the service is, as the report said last. */
  address: () => string;
  /** Sends SIGINT, which ends the service as well, and gives the exit code. */
  interrupt: () => Promise<number | null>;
}

/** Starts `pnpm dev` in a checkout, with a service on a free port. Its reports can be read from the first on. */
export function startDev(directory: string): Dev {
  const child = spawn(process.execPath, [join(directory, "packages/dev/src/main.ts")], {
    cwd: directory,
    env: { ...process.env, PORT: "0", LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let address = "";
  return {
    report: async () => {
      const report: string[] = [];
      for (;;) {
        const { value: line, done } = await lines.next();
        if (done === true) throw new Error(`pnpm dev ended after: ${report.join("\n")}`);
        report.push(line);
        address = / at (http:\S+)$/.exec(line)?.[1] ?? address;
        if (/^ {2}(next|failed) /.test(line)) return report.join("\n");
      }
    },
    address: () => address,
    interrupt: async () => {
      child.kill("SIGINT");
      return (await exited)[0];
    },
  };
}
