import { stripTypeScriptTypes } from "node:module";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "@platform/test-support/clone";
import { describe, expect, onTestFinished, test } from "vitest";
import { isEquivalent, knownEquivalents } from "../mutation/equivalents.ts";
import { describeMutant, mutantsOf, applyMutant, withRecorders } from "../mutation/mutants.ts";
import { sampleOf } from "../measuring/sample.ts";

const changesOf = (source: string) => mutantsOf(source, "a.ts").map(describeMutant);

describe("mutantsOf", () => {
  test.each<[code: string, changes: string[]]>([
    [
      "if (a < b) c;",
      [
        "condition: a < b → true",
        "condition: a < b → false",
        "operator: < → <=",
        "operator: < → >",
        "statement: c; → removed",
      ],
    ],
    ["const c = a && b;", ["operand: a && b → a", "operand: a && b → b", "operator: && → ||"]],
    ["const c = !a;", ["negation: ! → removed"]],
    ["const c = a?.b;", ["optional chain: ?. → ."]],
    ["const c = a?.[0];", ["optional chain: ?. → removed"]],
    ['const c = "x";', ['string: "x" → ""']],
    ["const c = /^a+$/u;", ["pattern: /^a+$/u → /a+$/u", "pattern: /^a+$/u → /^a+/u", "pattern: /^a+$/u → /^a*$/u"]],
    ["const c = a.some(b);", ["method: some → every"]],
    ["const c = a.trim();", ["method: a.trim() → a"]],
    ["const c = { ...a, b };", ["array or object: { ...a, b } → {}", "spread: ...a, → removed"]],
    ["while (a) a--;", ["condition: a → false", "statement: a--; → removed", "update: a-- → a++"]],
    [
      "function f() { a(); return b; }",
      ["block: { a(); return b; } → {}", "statement: a(); → removed", "return: return b; → removed"],
    ],
  ])("returns the mutants of %s", (code, changes) => {
    expect(changesOf(code).toSorted()).toEqual(
      changes.map((change) => change.replace("return b; → removed", "return b; → return;")).toSorted(),
    );
  });

  test.each([
    'throw new Error("x");',
    'const c = "Two words.";',
    "const c = `There is no ${a}.`;",
    'import a from "b";',
    'type A = "x" | true;',
    'const c = { "a-b": d }["a"] as "x";',
    "a: while (true) break a;",
  ])("skips messages, imports, types and names in %s", (code) => {
    const left = changesOf(code).filter((change) => /^(string|boolean|operator)/.test(change));
    expect(left).toEqual(
      code.includes('["a"]') ? ['string: "a" → ""'] : code.startsWith("a:") ? ["boolean: true → false"] : [],
    );
  });

  test("returns the line of each mutant, and applyMutant replaces its text after non-ASCII characters", () => {
    const source = 'const a = "é𝄞";\nconst b = a === c;\n';
    const [, equal] = mutantsOf(source, "a.ts");
    expect(equal).toMatchObject({ file: "a.ts", line: 2, original: "===", replacement: "!==" });
    expect(applyMutant(source, equal!)).toBe('const a = "é𝄞";\nconst b = a !== c;\n');
  });
});

test("withRecorders records the mutants that an execution reaches, and no others", () => {
  const source = `
    export function f(a: number): number {
      if (a > 1) return a - 1;
      const g = (b: number): number => b * 2;
      switch (a) { case 0: return g(4); default: return a + 1; }
    }`;
  const mutants = mutantsOf(source, "a.ts");
  const reachedBy = (argument: number) => {
    const points = new Set<number>();
    const recording = stripTypeScriptTypes(withRecorders(source, "a.ts")).replace("export", "");
    // oxlint-disable-next-line typescript/no-implied-eval -- it is the code above
    const run = new Function("globalThis", `${recording}; return f(${argument});`);
    const result: unknown = run({ mutationPoint: (_file: string, offset: number) => points.add(offset) });
    return { result, reached: mutants.filter(({ point }) => points.has(point)).map(({ original }) => original) };
  };
  expect(reachedBy(2)).toMatchObject({ result: 1, reached: expect.arrayContaining(["-"]) });
  expect(reachedBy(2).reached).not.toContain("*");
  expect(reachedBy(0)).toMatchObject({ result: 8, reached: expect.arrayContaining(["*", "return g(4);"]) });
  expect(reachedBy(0).reached).not.toContain("+");
  expect(reachedBy(1).reached).not.toContain("*");
});

test("a child process with its own environment is recorded too", () => {
  const folder = mkdtempSync(join(tmpdir(), "points-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const recorder = pathToFileURL(join(root, "packages/laboratory/mutation/record-points.mjs")).href;
  const inner = 'globalThis.mutationPoint("a.ts", process.env.A === "b" ? 7 : 0)';
  const outer = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { env: { A: "b" } })`;
  const notes = join(folder, "points");
  execFileSync(process.execPath, ["-e", outer], {
    env: { NODE_OPTIONS: `--import=${recorder}`, MUTATION_POINTS: notes },
  });
  expect(readFileSync(notes, "utf8")).toBe("a.ts:7\n");
});

test("sampleOf returns the same items for the same seed, in another order for another seed, and each once", () => {
  const items = Array.from({ length: 100 }, (_, index) => index);
  expect(sampleOf(items, 10, 7)).toEqual(sampleOf(items, 100, 7).slice(0, 10));
  expect(sampleOf(items, 100, 8)).not.toEqual(sampleOf(items, 100, 7));
  expect(sampleOf(items, 100, 7).toSorted((a, b) => a - b)).toEqual(items);
});

test.each(knownEquivalents())(
  "$file has the equivalent mutant $change, with a reason",
  ({ file, reason, ...entry }) => {
    const source = readFileSync(join(root, file), "utf8");
    const found = mutantsOf(source, file).filter((mutant) =>
      isEquivalent(mutant, source, [{ file, reason, ...entry }]),
    );
    expect(found).not.toEqual([]);
    expect(reason).toMatch(/^[A-Z`].{20,}\.$/);
  },
);
