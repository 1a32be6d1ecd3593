// cspell:ignore pdfblocks
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { expect, onTestFinished, test } from "vitest";
import type { DocumentResult } from "../peers/census/report.ts";

function census(...args: string[]): string {
  const words = ["packages/laboratory/census.ts", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  console.log(stdout);
  expect(status, stderr).toBe(0);
  return stdout;
}

test("100 public documents are served as they declare, or rejected at start for their own faults", () => {
  const folder = mkdtempSync(join(tmpdir(), "census-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "results");
  census("servers", "--sample", "100", "--resume", file, "--causes", "10");
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

test("clients of 20 public documents compile, and their calls succeed", () => {
  const printed = census("clients", "--sample", "20", "--compile", "10", "--call", "20", "--causes", "10");
  expect(printed).toMatch(/^documents: 20; generated: (?:19|20) /m);
  const [, calls = 0, successes = 0] = /^calls: (\d+); with the declared success: (\d+) /m.exec(printed) ?? [];
  expect(Number(successes) / Number(calls)).toBeGreaterThan(0.85); // one document requires a parameter twice
  expect(printed).toMatch(/^compiled: 10; without errors: (?:9|10) /m);
}, 600_000);

test("services of public documents with streams, cookies, uploads and OAuth typecheck, test, start and have a mock", () => {
  const printed = census("services", "--document", "mercure.local.json", "sakari.io");
  expect(printed.match(/^ok {6}/gm)).toHaveLength(2);
}, 600_000);

test("the calls of a document with multipart forms succeed", () => {
  const printed = census("clients", "--document", "pdfblocks.com", "--compile", "0", "--call", "1");
  expect(printed).toMatch(/^calls: 12; with the declared success: 12 /m);
}, 600_000);
