import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryFiles, root } from "@platform/test-support/clone";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** A run executes the tests of a package several times. */
const MINUTES = 60_000;

/** The folder of the copies that `pnpm mutate` makes. It is empty once they are deleted. */
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "mutate-test-"))));
afterAll(() => rmSync(folder, { recursive: true }));

describe("`mutate`", () => {
  const pattern = ["--package", "command-line", "--at", "src/program.ts:187"];

  test(
    "prints the survivors and the score, and fails below the floor",
    async () => {
      const { code, output } = await mutate(...pattern, "--floor", "100");
      expect(code).toBe(1);
      expect(output).toContain("[Survived] OptionalChaining\nsrc/program.ts:187:18\n");
      expect(output).toMatch(/ program\.ts +\| +\d+\.\d+ \|/);
      expect(output).toMatch(/Final mutation score \d+\.\d+ under breaking threshold 100/);
    },
    10 * MINUTES,
  );

  test(
    "kills mutants of code that runs only in child processes",
    async () => {
      const { code, output } = await mutate(
        "--package",
        "command-line",
        "--at",
        "src/program.ts:121",
        "--floor",
        "100",
      );
      expect(output).toMatch(/ program\.ts +\| +100\.00 \|/);
      expect(code).toBe(0);
    },
    10 * MINUTES,
  );

  test("fails for an unknown package and for an invalid number", async () => {
    expect(await mutate("--package", "clint")).toMatchObject({
      code: 2,
      output: expect.stringMatching(
        /^error: There is no package clint with tests. Set --package to one of [\w-]+, .*\bclient\b.*\.\n/,
      ),
    });
    expect(await mutate("--lines=0")).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^error: .* argument '0' is invalid\. Give a whole number of at least 1\.\n/),
    });
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "deletes its copies, leaves the repository unchanged and exits with 130 on %s",
    async (signal) => {
      const before = repositoryText();
      const run = start(...pattern);
      for await (const line of run.stdout!) if (String(line).includes("initial test run")) break; // the copy is changed
      run.kill(signal);
      expect(await once(run, "exit")).toEqual([130, null]);
      expect(repositoryText()).toEqual(before);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

function start(...args: string[]): ChildProcess {
  const env = { ...process.env, TMPDIR: folder };
  return spawn(process.execPath, ["packages/laboratory/mutation/main.ts", ...args], { cwd: root, env });
}

async function mutate(...args: string[]): Promise<{ code: number; output: string }> {
  const run = start(...args);
  let output = "";
  for (const stream of [run.stdout!, run.stderr!]) stream.on("data", (text) => (output += String(text)));
  const [code] = (await once(run, "close")) as [number];
  expect(readdirSync(folder)).toEqual([]);
  return { code, output };
}

function repositoryText(): string[] {
  return repositoryFiles("packages/command-line/*").map((file) => readFileSync(join(root, file), "utf8"));
}
