import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { afterAll, test } from "vitest";

const PROGRAM = [process.execPath, join(import.meta.dirname, "programs/copying.ts")] as const;
/** Runs the program on a terminal, which `script` of util-linux makes. */
const ON_TERMINAL = ["script", "-qec", `${PROGRAM.map((word) => `'${word}'`).join(" ")} 3<&3`, "/dev/null"] as const;
const noTerminal = !spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux");
if (noTerminal) console.log("Tests of progress on a terminal are skipped: they need `script` of util-linux.");

const folder = await mkdtemp(join(tmpdir(), "progress-"));
afterAll(() => rm(folder, { recursive: true }));

const LINE = "Copying: 1 of 4 rows \\(25%\\)(?:, \\d+ s)?";

test.concurrent(
  "on a terminal, rewrites one line and removes it at the end",
  { skip: noTerminal },
  async ({ expect }) => {
    const { stdout } = await run(ON_TERMINAL, { TERM: "xterm" }, /25%[^]*25%/);
    expect(stdout).toMatch(
      new RegExp(`^(\\r\\x1B\\[K\\x1B\\[\\?7l${LINE}\\x1B\\[\\?7h){2,}\\r\\x1B\\[KCopied 4 rows\\.\\r\\n$`),
    );
  },
);

test.concurrent.for([
  ["CI keeps its output", { TERM: "xterm", CI: "true" }],
  ["is dumb", { TERM: "dumb" }],
] as const)("on a terminal that %s, prints lines", { skip: noTerminal }, async ([, env], { expect }) => {
  const { stdout } = await run(ON_TERMINAL, env, /25%/);
  expect(stdout).toMatch(new RegExp(`^${LINE}\\r\\nCopied 4 rows\\.\\r\\n$`));
});

test.concurrent("without a terminal, prints lines to standard error only", async ({ expect }) => {
  const { stdout, stderr } = await run(PROGRAM, { TERM: "xterm" }, /25%/);
  expect(stderr).toMatch(new RegExp(`^${LINE}\\n$`));
  expect(stdout).toBe("Copied 4 rows.\n");
});

test.concurrent("reads the size of a file that is being written", async ({ expect }) => {
  const file = join(folder, "copy");
  await writeFile(file, Buffer.alloc(2 ** 20));
  const { stderr } = await run([...PROGRAM, file], {}, /MiB/);
  expect(stderr).toMatch(/^Copying: 1 of 4 MiB \(25%\)(, \d s)?\n$/);
});

test.concurrent("prints nothing about work of less than a second", async ({ expect }) => {
  expect(await run(PROGRAM, {})).toEqual({ code: 0, stdout: "Copied 4 rows.\n", stderr: "" });
});

/** Runs a command. Its work ends once its output matches. */
function run([command, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv, until = /^/) {
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const printed = { stdout: "", stderr: "" };
  const work = child.stdio[3] as Writable;
  const read = (stream: "stdout" | "stderr") => (text: string) => {
    printed[stream] += text;
    if (until.test(printed[stream])) work.end();
  };
  if (until.test("")) work.end();
  for (const stream of ["stdout", "stderr"] as const) child[stream]!.setEncoding("utf8").on("data", read(stream));
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done) =>
    child.once("close", (code) => done({ code, ...printed })),
  );
}
