import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  changesSection,
  counted,
  diagnosticsSection,
  fixOf,
  identityOf,
  problemsSection,
  section,
  styleSection,
  summarySection,
  typesSection,
} from "../../src/dev/report.ts";

test("a section has its name, its text and at most twelve lines", () => {
  expect(section("next", "Go on.")).toBe("  next       Go on.");
  const lines = Array.from({ length: 13 }, (_, index) => `line ${index}`);
  const shown = lines.slice(0, 12).map((line) => `    ${line}`);
  expect(section("a", "b", lines.slice(0, 12)).split("\n")).toEqual(["  a          b", ...shown]);
  expect(section("a", "b", lines).split("\n")).toEqual(["  a          b", ...shown, "    … and 1 more"]);
});

test("problems of the contract are shown with their position and rule, the same one once", () => {
  const at = { file: "openapi/openapi.yaml", line: 7, column: 3, kind: "fault" } as const;
  expect(
    problemsSection([
      { ...at, message: "Bound it.", rule: "a/b" },
      { ...at, message: "Bound it.", rule: "a/b", line: 8 },
      { ...at, message: "Bound it." },
    ]),
  ).toBe(
    [
      "  contract   3 problems",
      "    openapi/openapi.yaml:7:3  Bound it. (a/b), and 1 more place",
      "    openapi/openapi.yaml:7:3  Bound it.",
    ].join("\n"),
  );
});

test("rules of style are counted by what `contract check` does with them, and known warnings are not listed", () => {
  const at = { file: "openapi/openapi.yaml", line: 7, column: 3, message: "Bound it.", rule: "a/b", pointer: "#/a" };
  const [style, warning] = [{ ...at, kind: "style" } as const, { ...at, kind: "warning" } as const];
  const none = new Set<string>();
  expect(styleSection([style, warning], none).split("\n")[0]).toBe("  style      1 place to correct, 1 new warning");
  expect(styleSection([style, style], none).split("\n")[0]).toBe("  style      2 places to correct");
  const added = "  style      1 new warning\n    openapi/openapi.yaml:7:3  Bound it. (a/b)";
  expect(styleSection([warning], none)).toBe(added);

  const known = new Set([identityOf(warning)]);
  const before = "1 warning from before (npx -y pnpm@12.21.0 contract lint lists them)";
  expect(styleSection([{ ...warning, line: 9 }], known)).toBe(`  style      ${before}`);
  expect(styleSection([warning, { ...warning, pointer: "#/b" }], known)).toBe(
    added.replace("warning", `warning, ${before}`),
  );
  expect(styleSection([style], known)).toContain("Bound it.");
});

test("changes are counted by impact, the most severe first", () => {
  expect(changesSection([], 20)).toBe("  contract   unchanged since the last commit; after 0.02 s");
  const change = { place: "GET /pets", message: "It is added." };
  expect(
    changesSection(
      [
        { ...change, impact: "breaking", at: { file: "openapi/openapi.yaml", line: 7 } },
        { ...change, impact: "documentation" },
        { ...change, impact: "documentation" },
      ],
      20,
    ),
  ).toBe(
    [
      "  contract   3 changes since the last commit: 1 breaking, 2 documentation; after 0.02 s",
      "    breaking       GET /pets: It is added. (openapi/openapi.yaml:7)",
      "    documentation  GET /pets: It is added.",
      "    documentation  GET /pets: It is added.",
    ].join("\n"),
  );
});

test("the types section names the written files and the duration", () => {
  expect(typesSection([], [], 534)).toBe("  types      nothing to write; on disk after 0.53 s");
  expect(typesSection(["a.ts", "b.ts"], [], 1_000)).toBe("  types      wrote a.ts, b.ts; on disk after 1.00 s");
  const derived = ["packages/client/src/generated/a.ts", "packages/client/src/generated/b.ts"];
  expect(typesSection(["a.ts"], derived, 1_000)).toBe(
    "  types      wrote a.ts, 2 files of packages/client; on disk after 1.00 s",
  );
});

test("diagnostics are shortened and ordered: handlers, uses of the client, other code", () => {
  const root = mkdtempSync(join(tmpdir(), "report-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "apps/shop/src"), { recursive: true });
  writeFileSync(join(root, "apps/shop/src/uses.ts"), 'import "@petstore/client";');
  writeFileSync(join(root, "apps/shop/src/other.ts"), "");
  const fault = (file: string, ...message: string[]) => ({ file, line: 1, column: 2, code: "TS1", message });
  const type = `'{ ${"a".repeat(40)} }'`;
  const diagnostics = [
    fault("apps/shop/src/other.ts", "a".repeat(181)),
    fault("apps/shop/src/gone.ts", "a".repeat(180)),
    fault("apps/shop/src/uses.ts", `Type ${type} is not ${type}.`, "Between.", "Last."),
    fault("packages/client/src/a.ts", "'{ short }' is short."),
    fault("apps/server/src/registrations.ts", "First."),
  ];
  expect(diagnosticsSection(root, diagnostics, 1, 20)).toBe(
    [
      "  typecheck  5 errors in 1 package; after 0.02 s",
      "    handlers     apps/server/src/registrations.ts:1:2  First.",
      "    client uses  packages/client/src/a.ts:1:2  '{ short }' is short.",
      "    client uses  apps/shop/src/uses.ts:1:2  Type '{ … }' is not '{ … }'. Last.",
      `    other code   apps/shop/src/other.ts:1:2  ${"a".repeat(177)} …`,
      `    other code   apps/shop/src/gone.ts:1:2  ${"a".repeat(180)}`,
    ].join("\n"),
  );
  expect(diagnosticsSection(root, [], 2, 20)).toBe("  typecheck  no errors in 2 packages; after 0.02 s");
});

test("a cause of type errors is shown once, with the places that follow in at most five files", () => {
  const fault = (file: string) => {
    return { file, line: 1, column: 2, code: "TS1", message: ["Property 'name' does not exist on type 'A'."] };
  };
  const lines = (...files: string[]): string[] => diagnosticsSection("/nowhere", files.map(fault), 1, 20).split("\n");
  const tests = Array.from({ length: 6 }, (_, index) => `apps/server/test/${index}.test.ts`);
  const listed = tests.slice(0, 5).map((file) => `    tests          and 1 place in ${file}:1:2`);
  expect(lines("apps/server/src/a.ts", ...tests.slice(0, 5))).toEqual([
    "  typecheck  6 errors with 1 cause in 1 package; after 0.02 s",
    "    service      apps/server/src/a.ts:1:2  Property 'name' does not exist on type 'A'.",
    ...listed,
  ]);
  expect(lines("apps/server/src/a.ts", ...tests, tests[5]!).slice(2)).toEqual([
    ...listed.slice(0, 4),
    "                   and 3 places in 2 more files",
  ]);
});

test("the next step counts the listed causes, each once, and the others", () => {
  const fault = (name: string, file: string) => {
    return { file, line: 1, column: 2, code: "TS1", message: [`Property '${name}' does not exist on type 'A'.`] };
  };
  const faults = (count: number, ...files: string[]) =>
    Array.from({ length: count }, (_, index) => files.map((file) => fault(`name${index}`, file))).flat();
  expect(fixOf("/nowhere", faults(1, "a.ts"))).toBe("Fix the 1 error above.");
  expect(fixOf("/nowhere", faults(1, "a.ts", "b.ts"))).toBe("Fix the 1 cause above.");
  expect(fixOf("/nowhere", faults(12, "a.ts"))).toBe("Fix the 12 errors above.");
  const many = faults(20, "a.ts", "b.ts");
  expect(fixOf("/nowhere", many)).toBe("Fix the 5 causes above, then the 15 others.");
  const lines = diagnosticsSection("/nowhere", many, 1, 20).split("\n");
  expect(lines.filter((line) => line.includes(" a.ts:1:2 "))).toHaveLength(5);
  expect(lines.at(-1)).toBe("    … and 15 more causes");
});

describe("a message of the compiler", () => {
  const shown = (...message: string[]) => {
    const fault = { file: "a.test-d.ts", line: 1, column: 2, code: "TS1", message };
    return diagnosticsSection("/nowhere", [fault], 1, 20).split(":1:2  ")[1];
  };
  const words = `${"word ".repeat(35)}longer end`;
  const expectation = "'\"Expected: literal number: 200, Actual: unknown\"'.";

  test.each([
    ["is cut behind a word", [words], `${"word ".repeat(35)}…`],
    ["is its reason, which names the field, if its first line is too long", [words, "Between.", "Reason."], "Reason."],
    [
      "shows no words of vitest",
      [`Type ${expectation}`, "Reason.", `Type 'A' is not ${expectation}`],
      "The type is not the expected one. Reason.",
    ],
    ["shows none in its only line either", [`Type ${expectation}`], "The type is not the expected one."],
  ])("%s", (_title, message, expected) => {
    expect(shown(...message)).toBe(expected);
  });
});

test("the summary has the findings, the changes, the state of the service and the duration", () => {
  const service = "is up to date";
  expect(summarySection("no errors", "no changes", service, 1_234)).toBe(
    "  summary    no errors, no changes, the service is up to date; after 1.23 s",
  );
});

test("a count other than 1 has a plural noun", () => {
  expect([counted(0, "error"), counted(1, "error"), counted(2, "error")]).toEqual(["0 errors", "1 error", "2 errors"]);
});
