import { expect, test } from "vitest";
import { dropUndeclared } from "../src/response/respond.ts";
import type { Schema } from "openapi-document";
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
  [
    "undeclared fields of list items are dropped",
    { type: "array", items: person },
    [ada, { name: "Bob" }],
    [{ name: "Ada" }, { name: "Bob" }],
  ],
  [
    "undeclared fields behind references are dropped at every depth",
    person,
    { name: "A", friend: { ...ada, friend: ada } },
    { name: "A", friend: { name: "Ada", friend: { name: "Ada" } } },
  ],
  [
    "a field of any member of allOf or oneOf is kept",
    { allOf: [person, { oneOf: [{ properties: { age: {} } }] }] },
    { ...ada, age: 1 },
    { name: "Ada", age: 1 },
  ],
  ["a schema without properties keeps all fields", { type: "object" }, ada, ada],
  ["additionalProperties: true keeps all fields", { ...person, additionalProperties: true }, ada, ada],
  [
    "additionalProperties: false drops undeclared fields",
    { ...person, additionalProperties: false },
    ada,
    { name: "Ada" },
  ],
  [
    "undeclared fields in values of additionalProperties are dropped",
    { properties: { total: {} }, additionalProperties: person },
    { total: 1, first: ada },
    { total: 1, first: { name: "Ada" } },
  ],
  [
    "undeclared fields in values of patternProperties are dropped, and fields of properties are kept",
    {
      properties: { a1: { properties: { age: {} } } },
      patternProperties: { "^a": person, "^t": true as unknown as Schema },
    },
    { a1: { ...ada, age: 1 }, a2: { ...ada, age: 1 }, t: ada, b: ada },
    { a1: { name: "Ada", age: 1 }, a2: { name: "Ada" }, t: ada },
  ],
  [
    "additionalProperties applies only to fields without a name or a pattern",
    {
      properties: { me: person },
      patternProperties: { "^t": person },
      additionalProperties: { properties: { age: {} } },
    },
    { me: ada, t: ada, other: { ...ada, age: 1 } },
    { me: { name: "Ada" }, t: { name: "Ada" }, other: { age: 1 } },
  ],
  [
    "undeclared fields in nested lists and alternatives are dropped",
    { type: "array", items: { type: "array", items: { oneOf: [person, { properties: { age: {} } }] } } },
    [[ada, { age: 1, cost: 2 }]],
    [[{ name: "Ada" }, { age: 1 }]],
  ],
  ["a closed object without properties drops all fields", { properties: {}, additionalProperties: false }, ada, {}],
  [
    "additionalProperties: false without properties drops all fields",
    { type: "object", additionalProperties: false },
    ada,
    {},
  ],
  [
    "writeOnly fields behind a reference are dropped",
    { properties: { name: {}, password: { $ref: "#/components/schemas/Secret" } } },
    ada,
    { name: "Ada" },
  ],
  [
    "a field with the schema true is kept",
    { properties: { name: true }, unevaluatedItems: true },
    ada,
    { name: "Ada" },
  ],
  ["items: true keeps all fields of items", { items: true as unknown as Schema }, [ada], [ada]],
  [
    "undeclared fields in items of a tuple are dropped",
    { prefixItems: [person], items: false as unknown as Schema },
    [ada],
    [{ name: "Ada" }],
  ],
  [
    "an item of a tuple keeps the fields of its position alone",
    { prefixItems: [person, { properties: { password: {} } }] },
    [ada, ada],
    [{ name: "Ada" }, { password: "x" }],
  ],
  [
    "fields of else and dependentSchemas are kept",
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
  ["fields of if are kept", { properties: {}, if: { properties: { name: {} } } }, ada, { name: "Ada" }],
  [
    "strings and nulls beside objects in a list are kept",
    { items: { oneOf: [person, { type: ["string", "null"] }] } },
    ["Bob", null, ada],
    ["Bob", null, { name: "Ada" }],
  ],
  ["unevaluatedProperties: true keeps all fields", { allOf: [person], unevaluatedProperties: true }, ada, ada],
  ["a value that is not an object is not changed", person, "Ada", "Ada"],
  ["null is not changed", person, null, null],
])("%s", (_title, schema, value, expected) => expect(keep(schema, value)).toEqual(expected));

test("the order of fields is kept", () => {
  const value = { friend: { name: "Bob" }, age: 1, name: "Ada", password: "x" };
  expect(Object.keys(keep(person, value) as object)).toEqual(["friend", "name"]);
});

test("a value with nothing to drop is not copied", () => {
  const value = { name: "Ada", friend: { name: "Bob" } };
  expect(keep(person, value)).toBe(value);
});

test("the time is linear in the depth", () => {
  const nested = (levels: number): object => (levels === 0 ? ada : { name: "Ada", friend: nested(levels - 1) });
  const depthOf = (value: unknown): number => {
    const { friend, ...own } = value as { friend?: unknown };
    expect(own).toEqual({ name: "Ada" });
    return friend === undefined ? 0 : 1 + depthOf(friend);
  };
  expect(depthOf(keep(person, nested(60)))).toBe(60);
});
