import type { OpenApiDocument } from "openapi-document";
import { describe, expect, test } from "vitest";
import { isWithin } from "../src/comparison/inclusion.ts";

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const node = (maxLength: number, next: string, more: object = {}) => ({
  type: "object",
  properties: { name: { type: "string", maxLength }, next: to(next), children: { type: "array", items: to(next) } },
  ...more,
});

/** Schemas that contain themselves. */
const document = {
  openapi: "3.1.1",
  info: { title: "Trees", version: "1.0.0" },
  components: {
    schemas: {
      Tree: node(9, "Tree"),
      Renamed: node(9, "Renamed"),
      Odd: node(9, "Even"),
      Even: node(9, "Odd"),
      Longer: node(10, "Longer"),
      LongerBelow: node(9, "Longer"),
      Required: node(9, "Tree", { required: ["name"] }),
      RequiredBelow: node(9, "Required"),
      List: { anyOf: [{ type: "null" }, { type: "object", properties: { rest: to("List") } }] },
      ShortList: { anyOf: [{ type: "null" }, { type: "object", properties: { rest: { type: "null" } } }] },
    },
  },
} as unknown as OpenApiDocument;

describe("of schemas that contain themselves,", () => {
  const holds = (one: string, other: string) =>
    isWithin({ document, schema: to(one) }, { document, schema: to(other) }, "json");

  test.each([
    ["Tree", "Renamed"],
    ["Tree", "Odd"],
    ["Odd", "Tree"],
    ["Tree", "Longer"],
    ["LongerBelow", "Longer"],
    ["Required", "Tree"],
    ["RequiredBelow", "Tree"],
    ["ShortList", "List"],
  ])("%s is within %s", (one, other) => {
    expect(holds(one, other)).toBe(true);
  });

  test.each([
    ["Longer", "Tree"],
    ["Longer", "LongerBelow"],
    ["LongerBelow", "Tree"],
    ["LongerBelow", "Odd"],
    ["Tree", "Required"],
    ["Tree", "RequiredBelow"],
    ["List", "ShortList"],
  ])("%s is not within %s, whatever was assumed before", (one, other) => {
    expect(holds(other, one)).toBe(true);
    expect(holds(one, other)).toBe(false);
  });
});

test.each(["contentEncoding", "contentMediaType"])("a schema is not within one with another %s", (keyword) => {
  const holds = (own: string, other: string) =>
    isWithin(
      { document, schema: { type: "string", [keyword]: own } },
      { document, schema: { type: "string", [keyword]: other } },
      "json",
    );
  expect(holds("base64", "base64")).toBe(true);
  expect(holds("base32", "base64")).toBe(false);
});
