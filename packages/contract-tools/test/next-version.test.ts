import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContractChange, Impact } from "openapi-contract/comparison";
import { ROOT } from "openapi-contract/paths";
import { describe, expect, test } from "vitest";
import { nextVersion } from "../src/next-version.ts";

describe("the contract's changes and the client's changesets", () => {
  const manifest = readFileSync(join(ROOT, "packages/client/package.json"), "utf8");
  const { name: CLIENT } = JSON.parse(manifest) as { name: string };

  const change = (impact: Impact): ContractChange => ({ impact, place: "GET /pets", message: "" });
  const changeset = (type: string, name = CLIENT) => ({ releases: [{ name, type }] });

  test.each([
    [[], [], "The contract has not changed since its last release, so the client needs no changeset."],
    [["documentation"], ["patch"], `is documentation, and a changeset gives ${CLIENT} a patch version.`],
    [["documentation"], ["major"], `is documentation, and a changeset gives ${CLIENT} a major version.`],
    [
      ["additive", "documentation"],
      ["patch", "minor"],
      `is additive, and a changeset gives ${CLIENT} a minor version.`,
    ],
    [["breaking", "additive"], ["major"], `is breaking, and a changeset gives ${CLIENT} a major version.`],
  ] satisfies [Impact[], string[], string][])("%j changes match %j changesets", (impacts, types, found) => {
    const { isEnough, message } = nextVersion(
      impacts.map(change),
      types.map((type) => changeset(type)),
    );
    expect(isEnough).toBe(true);
    expect(message).toContain(found);
  });

  test.each([
    [["documentation"], [], "documentation", "patch"],
    [["documentation"], ["none"], "documentation", "patch"],
    [["documentation", "additive"], ["patch"], "additive", "minor"],
    [["additive", "breaking"], ["minor", "patch"], "breaking", "major"],
  ] satisfies [Impact[], string[], Impact, string][])(
    "%j changes do not match %j changesets",
    (impacts, types, mostSevere, required) => {
      const { isEnough, message } = nextVersion(
        impacts.map(change),
        types.map((type) => changeset(type)),
      );
      expect(isEnough).toBe(false);
      expect(message).toContain(`is ${mostSevere}, so ${CLIENT} needs a changeset for a ${required} version`);
      expect(message).toContain(`changeset --${required} ${CLIENT}`);
    },
  );

  test("a changeset of another package does not count", () => {
    expect(nextVersion([change("additive")], [changeset("major", "express-operations")]).isEnough).toBe(false);
  });
});
