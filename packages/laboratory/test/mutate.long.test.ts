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
  const prefer = ["--package", "mock", "--at", "src/prefer.ts", "--count", "3", "--seed", "1"];

  test(
    "prints the score, the survivors and the seed, and selects the same mutants for the same seed",
    async () => {
      const [first, again] = [await mutate(...prefer), await mutate(...prefer)];
      expect(first.code).toBe(0);
      expect(first.output).toMatch(/^mock: \d of 3 mutants killed \(\d+\.\d %\), .*; seed 1, \d+\.\d min$/m);
      expect(mutantsIn(first.output)).toHaveLength(3);
      expect(mutantsIn(again.output)).toEqual(mutantsIn(first.output));
    },
    10 * MINUTES,
  );

  test("fails below the floor, for an unknown package and for an invalid number", async () => {
    expect(await mutate(...prefer, "--floor", "101")).toMatchObject({
      code: 1,
      output: expect.stringContaining("mock: fewer than 101 % of the mutants were killed."),
    });
    expect(await mutate("--package", "mok")).toMatchObject({
      code: 2,
      output: expect.stringMatching(
        /^error: There is no package mok with tests. Set --package to one of [\w-]+, .*\bclient\b.*\.\n/,
      ),
    });
    expect(await mutate("--count=0")).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^error: .* argument '0' is invalid\. Give a whole number of at least 1\.\n/),
    });
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "deletes its copies, leaves the repository unchanged and exits with 130 on %s",
    async (signal) => {
      const before = repositoryText();
      const run = start(...prefer);
      for await (const line of run.stderr!) if (String(line).includes("mock: ")) break; // the copies are being changed
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

function mutantsIn(output: string): string[] {
  const lines = output.split("\n").filter((line) => /^(killed|survived) /.test(line));
  return lines.map((line) => line.replace(/ {2}by .*/, "").replace(/^\w+ +/, "")).toSorted();
}

function repositoryText(): string[] {
  return repositoryFiles("apps/mock/*").map((file) => readFileSync(join(root, file), "utf8"));
}
