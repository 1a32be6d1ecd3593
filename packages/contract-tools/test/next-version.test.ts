import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContractChange, Impact } from "openapi-contract/comparison";
import { ROOT } from "openapi-contract/paths";
import { describe, expect, test } from "vitest";
import { nextVersionProblem } from "../src/next-version.ts";

describe("the contract's changes and the client's changesets", () => {
  const manifest = readFileSync(join(ROOT, "packages/client/package.json"), "utf8");
  const { name: CLIENT } = JSON.parse(manifest) as { name: string };

  const change = (impact: Impact): ContractChange => ({ impact, place: "GET /pets", message: "" });
  const changeset = (type: string, name = CLIENT) => ({ releases: [{ name, type }] });

  test.each([
    [[], []],
    [["documentation"], ["patch"]],
    [["documentation"], ["major"]],
    [
      ["additive", "documentation"],
      ["patch", "minor"],
    ],
    [["breaking", "additive"], ["major"]],
  ] satisfies [Impact[], string[]][])("%j changes match %j changesets", (impacts, types) => {
    expect(
      nextVersionProblem(
        impacts.map(change),
        types.map((type) => changeset(type)),
      ),
    ).toBeUndefined();
  });

  test.each([
    [["documentation"], [], "documentation", "patch"],
    [["documentation"], ["none"], "documentation", "patch"],
    [["documentation", "additive"], ["patch"], "additive", "minor"],
    [["additive", "breaking"], ["minor", "patch"], "breaking", "major"],
  ] satisfies [Impact[], string[], Impact, string][])(
    "%j changes do not match %j changesets",
    (impacts, types, mostSevere, required) => {
      const problem = nextVersionProblem(
        impacts.map(change),
        types.map((type) => changeset(type)),
      );
      expect(problem).toContain(`is ${mostSevere}, so ${CLIENT} needs a changeset for a ${required} version`);
      expect(problem).toContain(`changeset --${required} ${CLIENT}`);
    },
  );

  test("a changeset of another package does not count", () => {
    expect(nextVersionProblem([change("additive")], [changeset("major", "express-operations")])).toBeDefined();
  });
});
