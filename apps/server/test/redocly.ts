import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const ROOT = resolve(import.meta.dirname, "../../..");
const PROGRAM = resolve(ROOT, "node_modules/@redocly/cli/bin/cli.js");
const options = {
  cwd: ROOT,
  env: { ...process.env, NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
};

/** Runs Redocly from the root of the repository: a validator that knows the contract, and nothing of this service. */
export async function redocly(...words: string[]): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((done) => {
    const child = execFile(process.execPath, [PROGRAM, ...words], options, (_error, stdout, stderr) =>
      done({ exitCode: child.exitCode, output: stdout + stderr }),
    );
  });
}

/** Starts Redocly's proxy in front of a service. The HAR file has its traffic once the proxy has ended. */
export async function record(target: string, har: string): Promise<{ origin: string; end: () => Promise<void> }> {
  const words = ["proxy", "--target", target, "--port", "0", "--har", har];
  const child = spawn(process.execPath, [PROGRAM, ...words], { ...options, stdio: ["ignore", "ignore", "pipe"] });
  const origin = await addressOf(child);
  return {
    origin,
    end: async () => {
      const ended = once(child, "exit");
      child.kill("SIGINT");
      await ended;
      // The proxy writes an entry a line, and takes U+2028 and U+2029 in an entry for ends of lines.
      const text = await readFile(har, "utf8");
      await writeFile(har, text.replaceAll(/,\n {6}(?!\{"startedDateTime":)/g, String.raw`\u2028`));
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    child.once("exit", (code) => failed(new Error(`the proxy exited with ${code}`)));
    createInterface(child.stderr!).on("line", (line) => {
      const address = /listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) done(address);
    });
  });
}
