import { describe, expect, test } from "vitest";
import { changelogEntry, formatChanges, formatChecks } from "../src/output.ts";
import type { Check } from "../src/release/check.ts";
import type { ContractChange } from "../src/comparison/compare.ts";
import { mostSevere, type Impact } from "../src/comparison/changes.ts";
import { compareVersions, parseVersion, versionAfter } from "../src/release/released.ts";

const AT = { file: "openapi/openapi.yaml", line: 7 };
const BREAKING: ContractChange = { impact: "breaking", place: "GET /pets", message: "It is removed.", at: AT };
const ADDITIVE: ContractChange = { impact: "additive", place: "GET /dogs", message: "It is added." };

const PASSED: Check = { name: "lint", passed: "keeps to every rule", findings: [], changes: [ADDITIVE] };
const FAILED: Check = {
  name: "compatibility",
  passed: "",
  findings: [{ message: "Raise it." }, { message: "Line 1,\r\n50%: mend it.", at: AT }],
  changes: [BREAKING, ADDITIVE],
};
const WARNED: Check = { name: "schemas", passed: "1 schema", findings: [], warnings: ["Slow."] };

describe("formatChecks formats findings", () => {
  test("as text", () => {
    expect(
      formatChecks([PASSED, WARNED, FAILED, { name: "examples", passed: "", findings: [{ message: "No." }] }], "text"),
    ).toBe(`ok      lint: keeps to every rule
ok      schemas: 1 schema
          Slow.
failed  compatibility
          Raise it.
          openapi/openapi.yaml:7  Line 1,\r
50%: mend it.
          breaking      GET /pets: It is removed. (openapi/openapi.yaml:7)
          additive      GET /dogs: It is added.
failed  examples
          No.`);
  });

  test("as JSON", () => {
    expect(JSON.parse(formatChecks([PASSED, FAILED], "json"))).toEqual({ passed: false, checks: [PASSED, FAILED] });
    expect(formatChecks([PASSED], "json")).toBe(JSON.stringify({ passed: true, checks: [PASSED] }, null, 2));
  });

  test("as annotations of a pull request, with escaped line ends and separators", () => {
    const named: Check = { name: "lint", passed: "", findings: [{ message: "a", at: { file: "a:b,c", line: 1 } }] };
    expect(formatChecks([PASSED, WARNED, FAILED, named], "github")).toBe(
      [
        "::error title=compatibility::Raise it.",
        "::error file=openapi/openapi.yaml,line=7,title=compatibility::Line 1,%0D%0A50%25: mend it.",
        "::error file=a%3Ab%2Cc,line=1,title=lint::a",
        "::notice title=schemas::Slow.",
        "::error file=openapi/openapi.yaml,line=7,title=breaking::GET /pets: It is removed.",
        "::notice title=additive::GET /dogs: It is added.",
      ].join("\n"),
    );
  });
});

describe("formatChanges formats changes", () => {
  test("as text", () => {
    expect(formatChanges([], "text")).toBe("The contract has not changed.");
    expect(formatChanges([BREAKING, ADDITIVE], "text")).toBe(
      [
        "          breaking      GET /pets: It is removed. (openapi/openapi.yaml:7)",
        "          additive      GET /dogs: It is added.",
      ].join("\n"),
    );
  });

  test("as JSON and as annotations", () => {
    expect(formatChanges([ADDITIVE], "json")).toBe(JSON.stringify({ changes: [ADDITIVE] }, null, 2));
    expect(formatChanges([], "github")).toBe("");
    expect(formatChanges([ADDITIVE, BREAKING], "github")).toBe(
      [
        "::notice title=additive::GET /dogs: It is added.",
        "::error file=openapi/openapi.yaml,line=7,title=breaking::GET /pets: It is removed.",
      ].join("\n"),
    );
  });
});

describe("changelogEntry", () => {
  test("lists each change once, by impact", () => {
    const another: ContractChange = { ...ADDITIVE, place: "GET /cats" };
    const documented: ContractChange = { impact: "documentation", place: "GET /pets", message: "It is described." };
    expect(changelogEntry("2.0.0", [BREAKING, documented, ADDITIVE, another, ADDITIVE, BREAKING])).toBe(`## 2.0.0

### Breaking: change your calls

- \`GET /pets\`: It is removed.

### New, deprecated or relaxed

- \`GET /dogs\`: It is added.
- \`GET /cats\`: It is added.

### Documentation

- \`GET /pets\`: It is described.
`);
  });

  test("reports that nothing changed", () => {
    expect(changelogEntry("1.0.1", [])).toBe("## 1.0.1\n\nNo changes.\n");
  });
});

test("the most severe impact is breaking, then additive", () => {
  expect(mostSevere(["documentation", "additive", "breaking"])).toBe("breaking");
  expect(mostSevere(["documentation", "additive"])).toBe("additive");
  expect(mostSevere(["documentation"])).toBe("documentation");
  expect(mostSevere([])).toBeUndefined();
});

test.each<[Impact, string]>([
  ["breaking", "2.0.0"],
  ["additive", "1.3.0"],
  ["documentation", "1.2.4"],
])("after 1.2.3, a change with the impact %s requires %s", (impact, version) => {
  expect(versionAfter([1, 2, 3], impact)).toBe(version);
});

test("versions have three numbers, and are ordered by the first different number", () => {
  expect(["10.20.30", "1.2.3.4", "v1.2.3", "1.2", "1.2.x", ".2.3"].map(parseVersion)).toEqual([
    [10, 20, 30],
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(compareVersions([2, 0, 0], [1, 9, 9])).toBeGreaterThan(0);
  expect(compareVersions([1, 2, 0], [1, 10, 0])).toBeLessThan(0);
  expect(compareVersions([1, 2, 3], [1, 2, 2])).toBe(1);
  expect(compareVersions([1, 2, 3], [1, 2, 3])).toBe(0);
});
