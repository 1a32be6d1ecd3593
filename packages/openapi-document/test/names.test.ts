import { expect, test } from "vitest";
import { isTypeName, propertyKey } from "../src/names.ts";

test.each([
  ["Pet", true],
  ["$a", true],
  ["_1", true],
  ["1a", false],
  ["a-b", false],
  ["", false],
  ["class", false],
  ["string", false],
  ["unknown", false],
  ["bigint", false],
  ["as", false],
  ["String", true],
])("%j names a type: %s", (name, isName) => {
  expect(isTypeName(name)).toBe(isName);
});

test("keys are quoted unless they are identifiers", () => {
  expect(["petId", "class", "$a", "a-b", "1a", '"'].map(propertyKey)).toEqual([
    "petId",
    "class",
    "$a",
    '"a-b"',
    '"1a"',
    '"\\""',
  ]);
});
