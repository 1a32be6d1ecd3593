import { expect, test } from "vitest";
import { dropUndeclared } from "../src/response/declared-fields.ts";
import type { Schema } from "../src/document/document.ts";
import type { OpenApiDocument } from "../src/index.ts";

const person = {
  type: "object",
  properties: { name: { type: "string" }, friend: { $ref: "#/components/schemas/Person" } },
};
const document: OpenApiDocument = {
  openapi: "3.1.0",
  components: { schemas: { Person: person, Secret: { type: "string", writeOnly: true } } },
};
const keep = (schema: Schema, value: unknown) => dropUndeclared(document, schema)(value);
const ada = { name: "Ada", password: "x" };

test.each<[string, Schema, unknown, unknown]>([
  ["undeclared fields are dropped", person, ada, { name: "Ada" }],
  ["in lists", { type: "array", items: person }, [ada, { name: "Bob" }], [{ name: "Ada" }, { name: "Bob" }]],
  [
    "through references, as deep as the value goes",
    person,
    { name: "A", friend: { ...ada, friend: ada } },
    { name: "A", friend: { name: "Ada", friend: { name: "Ada" } } },
  ],
  [
    "a field that any member of allOf or oneOf names is kept",
    { allOf: [person, { oneOf: [{ properties: { age: {} } }] }] },
    { ...ada, age: 1 },
    { name: "Ada", age: 1 },
  ],
  ["a schema that names no field keeps all", { type: "object" }, ada, ada],
  ["additionalProperties: true keeps all", { ...person, additionalProperties: true }, ada, ada],
  ["additionalProperties: false does not", { ...person, additionalProperties: false }, ada, { name: "Ada" }],
  [
    "in the values that additionalProperties describes",
    { properties: { total: {} }, additionalProperties: person },
    { total: 1, first: ada },
    { total: 1, first: { name: "Ada" } },
  ],
  [
    "in those of patternProperties, together with what properties say",
    {
      properties: { a1: { properties: { age: {} } } },
      patternProperties: { "^a": person, "^t": true as unknown as Schema },
    },
    { a1: { ...ada, age: 1 }, a2: { ...ada, age: 1 }, t: ada, b: ada },
    { a1: { name: "Ada", age: 1 }, a2: { name: "Ada" }, t: ada },
  ],
  [
    "in fields that neither a name nor a pattern describes",
    {
      properties: { me: person },
      patternProperties: { "^t": person },
      additionalProperties: { properties: { age: {} } },
    },
    { me: ada, t: ada, other: { ...ada, age: 1 } },
    { me: { name: "Ada" }, t: { name: "Ada" }, other: { age: 1 } },
  ],
  [
    "in lists within lists, and lists of alternatives",
    { type: "array", items: { type: "array", items: { oneOf: [person, { properties: { age: {} } }] } } },
    [[ada, { age: 1, cost: 2 }]],
    [[{ name: "Ada" }, { age: 1 }]],
  ],
  ["properties of an empty object that is closed", { properties: {}, additionalProperties: false }, ada, {}],
  ["additionalProperties: false alone closes as well", { type: "object", additionalProperties: false }, ada, {}],
  [
    "writeOnly fields are dropped, behind a reference too",
    { properties: { name: {}, password: { $ref: "#/components/schemas/Secret" } } },
    ada,
    { name: "Ada" },
  ],
  [
    "boolean schemas keep what they stand for",
    { properties: { name: true }, unevaluatedItems: true },
    ada,
    { name: "Ada" },
  ],
  ["items that may be anything", { items: true as unknown as Schema }, [ada], [ada]],
  ["items of a tuple", { prefixItems: [person], items: false as unknown as Schema }, [ada], [{ name: "Ada" }]],
  [
    "fields that a condition or another field brings",
    {
      properties: { name: {} },
      else: { properties: { a: {} } },
      dependentSchemas: { name: { properties: { b: {} } } },
    },
    { name: 1, a: 1, b: 1, c: 1 },
    { name: 1, a: 1, b: 1 },
  ],
  ["writeOnly fields are dropped", { properties: { name: {}, password: { writeOnly: true } } }, ada, { name: "Ada" }],
  ["__proto__ is a field like any other", person, JSON.parse('{"__proto__":{"name":1},"name":"Ada"}'), { name: "Ada" }],
  [
    "fields that the test of a condition names",
    { properties: {}, if: { properties: { name: {} } } },
    ada,
    { name: "Ada" },
  ],
  [
    "texts and nulls beside objects in a list",
    { items: { oneOf: [person, { type: ["string", "null"] }] } },
    ["Bob", null, ada],
    ["Bob", null, { name: "Ada" }],
  ],
  ["fields that unevaluatedProperties lets through", { allOf: [person], unevaluatedProperties: true }, ada, ada],
  ["what is no object is left alone", person, "Ada", "Ada"],
  ["null is left alone", person, null, null],
])("%s", (_title, schema, value, expected) => expect(keep(schema, value)).toEqual(expected));

test("fields stay in their order", () => {
  const value = { friend: { name: "Bob" }, age: 1, name: "Ada", password: "x" };
  expect(Object.keys(keep(person, value) as object)).toEqual(["friend", "name"]);
});

test("a value with nothing to drop is not copied", () => {
  const value = { name: "Ada", friend: { name: "Bob" } };
  expect(keep(person, value)).toBe(value);
});

test("depth costs once for each level", () => {
  const nested = (levels: number): object => (levels === 0 ? ada : { name: "Ada", friend: nested(levels - 1) });
  const depthOf = (value: unknown): number => {
    const { friend, ...own } = value as { friend?: unknown };
    expect(own).toEqual({ name: "Ada" });
    return friend === undefined ? 0 : 1 + depthOf(friend);
  };
  expect(depthOf(keep(person, nested(60)))).toBe(60);
});
