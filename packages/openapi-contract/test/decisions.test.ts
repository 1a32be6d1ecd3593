import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenApiDocument } from "openapi-document";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { byStability, decided, decisionsBeside, staleApprovals } from "../src/comparison/decisions.ts";

const REMOVED = {
  impact: "breaking",
  place: "DELETE /pets/{petId}",
  message: "The operation is removed. Clients fail.",
} as const;
const ADDED = { impact: "additive", place: "GET /pets", message: "The operation is added." } as const;
const APPROVAL = {
  place: "DELETE /pets/{petId}",
  change: "The operation is removed",
  reason: "Nobody calls it.",
  by: "Ada",
  until: "2030-01-31",
};

describe("an approval", () => {
  const decisions = (approval: object = {}) => ({ severity: [], approved: [{ ...APPROVAL, ...approval }] });

  test("is part of the breaking changes that it is about, up to its last day", () => {
    const [removed, added] = decided([REMOVED, ADDED], decisions(), "2030-01-31");
    expect(removed).toEqual({ ...REMOVED, approval: APPROVAL });
    expect(added).toEqual(ADDED);
    expect(decided([REMOVED], decisions(), "2030-02-01")).toEqual([REMOVED]);
  });

  test.each<[approval: object, isAbout: boolean]>([
    [{ place: "* /pets*" }, true],
    [{ place: "DELETE /pets" }, false],
    [{ place: "DELETE /pets/.petId." }, false],
    [{ change: undefined }, true],
    [{ change: "* is removed" }, true],
    [{ change: "is removed" }, false],
  ])("%o is about the change: %s", (approval, isAbout) => {
    expect("approval" in decided([REMOVED], decisions(approval), "2030-01-01")[0]!).toBe(isAbout);
  });

  test("is about a change of several operations by the message that the report shows", () => {
    const cause = { key: "", subject: 'response header "X-A"', hunk: () => [] };
    const change = {
      ...REMOVED,
      message: 'Response 200, header "X-A" is removed. Clients fail.',
      cause,
      what: "is removed",
    };
    for (const named of ['Response header "X-A"', 'Response 200, header "X-A"'])
      expect(decided([change], decisions({ change: named }), "2030-01-01")[0]).toHaveProperty("approval");
    expect(decided([change], decisions({ place: "GET /pets" }), "2030-01-01")).toEqual([change]);
  });

  test("is stale if it applies to nothing, or has ended", () => {
    const stale = (changes: Parameters<typeof decided>[0], today: string) =>
      staleApprovals(decided(changes, decisions(), today), decisions(), today);
    expect(stale([REMOVED], "2030-01-01")).toEqual([]);
    const name = "The approval of DELETE /pets/{petId}: The operation is removed in comparison.yaml";
    expect(stale([ADDED], "2030-01-01")).toEqual([
      `${name} applies to no breaking change since the last release. Remove it.`,
    ]);
    expect(stale([REMOVED], "2030-02-01")).toEqual([`${name} ended on 2030-01-31. Remove it, or set a later day.`]);
  });
});

test("the first severity that matches replaces the impact", () => {
  const severity = [
    { place: "* /pets*", change: "The operation is removed", impact: "additive" as const },
    { place: "*", impact: "documentation" as const },
  ];
  expect(decided([REMOVED, ADDED], { severity, approved: [] }).map(({ impact }) => impact)).toEqual([
    "additive",
    "documentation",
  ]);
});

describe("an operation that is not stable", () => {
  const document = (level?: string) =>
    ({ paths: { "/pets/{petId}": { delete: { "x-stability-level": level } } } }) as unknown as OpenApiDocument;

  test.each([
    [undefined, "breaking"],
    ["stable", "breaking"],
    ["beta", "breaking"],
    ["alpha", "additive"],
    ["experimental", "additive"],
  ])("at the level %s, its change is %s", (level, impact) => {
    const [change] = byStability([REMOVED, ADDED], document(level), document(level));
    expect(change!.impact).toBe(impact);
  });

  test("was not stable before", () => {
    expect(byStability([], document("beta"), document("draft"))).toEqual([
      {
        impact: "breaking",
        place: "DELETE /pets/{petId}",
        message: "It becomes draft. Clients rely on an operation that may now break.",
      },
    ]);
    expect(byStability([], document("alpha"), document("draft"))).toEqual([]);
  });
});

describe("the file beside the contract", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "decisions-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
  });
  const read = (text: string) => {
    writeFileSync(join(folder, "comparison.yaml"), text);
    return decisionsBeside(join(folder, "openapi.yaml"));
  };

  test("may be missing or empty", () => {
    const none = { severity: [], approved: [] };
    expect(decisionsBeside(join(folder, "openapi.yaml"))).toMatchObject(none);
    expect(read("# nothing yet\n")).toMatchObject(none);
    expect(read("severity:\napproved: # none since the release\n")).toMatchObject(none);
  });

  test.each([
    ["severe: []", '1  : Unrecognized key: "severe".'],
    [
      "severity:\n  - { place: a, impact: none }",
      '2  severity.0.impact: Invalid option: expected one of "breaking"|"additive"|"documentation".',
    ],
    ["approved:\n  - place: a\n    reason: b\n    by: c\n    until: soon", "5  approved.0.until: Invalid ISO date."],
    [
      "approved:\n  - { place: a, by: b, until: 2030-01-01 }",
      "2  approved.0.reason: Invalid input: expected string, received undefined.",
    ],
    ...["reason", "by"].map((key) => [
      `approved:\n  - ${JSON.stringify({ ...APPROVAL, [key]: "" })}`,
      `2  approved.0.${key}: Too small: expected string to have >=1 characters.`,
    ]),
    ["approved: [", 'comparison.yaml:1  A bracket above is not closed. Add "]".'],
  ])("with the fault %j says where it is", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
