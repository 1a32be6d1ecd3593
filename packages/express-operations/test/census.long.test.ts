import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installFolder } from "@platform/bench-support/install";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { DocumentResult } from "../census/result.ts";

const PACKAGE = join(import.meta.dirname, "..");

beforeAll(() => installFolder(join(PACKAGE, "census")), 300_000);

/** `lint` and `typecheck` omit the census, because `pnpm test` does not install its dependencies. */
test.each([
  ["compiles", "tsc", ["--project", "census"]],
  ["passes the linter", "oxlint", ["--type-aware", "census"]],
])("the census %s", (_, program, words) => {
  const { status, stdout } = spawnSync(program, words, { cwd: PACKAGE, encoding: "utf8" });
  expect(status, stdout).toBe(0);
});

test("100 public documents are served as they declare, or rejected at start for their own faults", () => {
  const folder = mkdtempSync(join(tmpdir(), "census-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "results");
  const printed = execFileSync(
    process.execPath,
    ["census/main.ts", "--sample", "100", "--resume", file, "--causes", "10"],
    {
      cwd: PACKAGE,
      encoding: "utf8",
    },
  );
  console.log(printed);
  const results = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as DocumentResult);
  const total = (count: (result: DocumentResult) => number) => results.reduce((sum, result) => sum + count(result), 0);

  expect(results).toHaveLength(100);
  const reasons = results.flatMap(({ startError }) => startError ?? []);
  const isTheirs = (reason: string) => reason.includes("The document and its implementation do not match");
  expect(reasons.filter((reason) => !isTheirs(reason))).toEqual([]);
  const started = results.filter(({ startError }) => startError === undefined);
  expect(started.length).toBeGreaterThanOrEqual(97);
  const failed = started.reduce((sum, { failures }) => sum + failures.length, 0);
  expect(1 - failed / total(({ operations }) => operations)).toBeGreaterThan(0.97);
  expect(1 - total(({ accepted }) => accepted.length) / total(({ invalid }) => invalid)).toBeGreaterThan(0.98);
}, 600_000);
