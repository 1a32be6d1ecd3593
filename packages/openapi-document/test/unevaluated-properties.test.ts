import { expect, test } from "vitest";
import { describeUnevaluatedProperties } from "../src/openapi-typescript/request-defaults.ts";

const string = { type: "string" };
const number = { type: "number" };
const ref = { $ref: "#/components/schemas/Base" };

function described(schema: object) {
  const Base = { type: "object", properties: { base: { type: "string", maxLength: 5, description: "B." } } };
  const document = { openapi: "3.1.1", components: { schemas: { Base, Own: structuredClone(schema) } } };
  describeUnevaluatedProperties(document);
  return document.components.schemas.Own;
}

test.each<[title: string, schema: object, more: object]>([
  ["alone", {}, { additionalProperties: number }],
  [
    "beside fields of the same type",
    { properties: { a: { ...number, minimum: 1 } } },
    { additionalProperties: number },
  ],
  [
    "beside fields of other types, whose values the type of further fields includes",
    { properties: { a: string, b: { enum: ["c"] }, d: false } },
    { additionalProperties: { anyOf: [number, string, { enum: ["c"] }] } },
  ],
  ["beside the fields of an allOf", { allOf: [ref] }, { additionalProperties: { anyOf: [number, string] } }],
  ["beside a reference", ref, { $ref: undefined, allOf: [ref], additionalProperties: { anyOf: [number, string] } }],
  [
    "beside alternatives",
    { oneOf: [{ properties: { a: string } }] },
    { additionalProperties: { anyOf: [number, string] } },
  ],
  [
    "beside conditions, whose fields are optional ones",
    { if: { properties: { a: number } }, else: { properties: { a: string } }, not: { properties: { b: {} } } },
    {
      properties: { a: { anyOf: [number, string] } },
      additionalProperties: { anyOf: [number, string] },
    },
  ],
  ["beside additionalProperties, which leave no field to it", { additionalProperties: string }, {}],
])("unevaluatedProperties is described by additionalProperties: %s", (_title, schema, more) => {
  const own = { ...schema, unevaluatedProperties: number };
  const expected = { ...own, ...more } as Record<string, unknown>;
  if (expected["$ref"] === undefined) delete expected["$ref"];
  expect(described(own)).toEqual(expected);
});

test("unevaluatedProperties: true and {} allow any field, and false allows the fields of conditions", () => {
  const properties = { a: string };
  for (const open of [true, {}])
    expect(described({ properties, unevaluatedProperties: open })).toHaveProperty("additionalProperties", open);
  const closed = {
    properties,
    dependentSchemas: { a: { properties: { b: number, a: {} } } },
    unevaluatedProperties: false,
  };
  expect(described(closed)).toEqual({ ...closed, properties: { ...properties, b: number } });
  expect(described({ ...ref, unevaluatedProperties: false })).toEqual({ ...ref, unevaluatedProperties: false });
});

test("a field and a value named unevaluatedProperties are left alone", () => {
  const schema = { properties: { unevaluatedProperties: string }, default: { unevaluatedProperties: number } };
  expect(described(schema)).toEqual(schema);
});
