import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContractChange, Impact } from "@petstore/contract/diff";
import { describe, expect, test } from "vitest";
import { CLIENT, nextVersionProblem } from "../next-version.ts";

describe("the contract's changes and the client's changesets", () => {
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
  ] satisfies [Impact[], string[]][])("%j go with %j", (impacts, types) => {
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
  ] satisfies [Impact[], string[], Impact, string][])("%j do not go with %j", (impacts, types, gravest, demanded) => {
    const problem = nextVersionProblem(
      impacts.map(change),
      types.map((type) => changeset(type)),
    );
    expect(problem).toContain(`is ${gravest}, so the next version of @petstore/client is a ${demanded} one`);
    expect(problem).toContain(`changeset --${demanded} @petstore/client`);
  });

  test("a changeset of another package does not count", () => {
    expect(nextVersionProblem([change("additive")], [changeset("major", "express-operations")])).toBeDefined();
  });
});

test("the version of the client's manifest is the last that its changelog tells of", () => {
  const file = (name: string) => readFileSync(join(import.meta.dirname, "..", name), "utf8");
  const { version } = JSON.parse(file("package.json")) as { version: string };
  expect(/^## (.*)$/m.exec(file("CHANGELOG.md"))?.[1]).toBe(version);
});
