import { describe, expect, test } from "vitest";
import { allOf, alternativesOf, keywordsOf, type SchemaNode, valuesOf } from "../src/comparison/alternatives.ts";

const PET = { oneOf: [{ required: ["claws"] }, { required: ["bark"] }] };
const SCHEMAS: Record<string, SchemaNode> = {
  Name: { type: "string", maxLength: 9 },
  Pet: PET,
  Self: { anyOf: [{ $ref: "#/components/schemas/Self" }, { type: "string" }] },
  Own: { allOf: [{ $ref: "#/components/schemas/Own" }, { type: "string" }] },
};
const documentOf = (openapi: string) => ({ openapi, paths: {}, components: { schemas: SCHEMAS } });
const LATEST = documentOf("3.1.1");
const OLD = documentOf("3.0.3");
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const alternatives = (schema: SchemaNode, document = LATEST) => alternativesOf(document, schema)!;

describe("keywordsOf returns the keywords of", () => {
  test.each<[name: string, schema: SchemaNode, keywords: object, document?: typeof LATEST]>([
    ["true", true, {}],
    ["false", false, { not: [{}] }],
    ["a plain schema", { type: "string", maxLength: 9 }, { type: ["string"], maxLength: [9] }],
    ["a reference", ref("Name"), { type: ["string"], maxLength: [9] }],
    ["a reference and more", { ...ref("Name"), maxLength: 5 }, { type: ["string"], maxLength: [9, 5] }],
    [
      "a reference and more, in OpenAPI 3.0",
      { ...ref("Name"), maxLength: 5 },
      { type: ["string"], maxLength: [9] },
      OLD,
    ],
    [
      "a reference and allOf, in OpenAPI 3.0",
      { ...ref("Name"), allOf: [{ minLength: 1 }] },
      { type: ["string"], maxLength: [9] },
      OLD,
    ],
    [
      "a reference and anyOf, in OpenAPI 3.0",
      { ...ref("Name"), anyOf: [{ minLength: 1 }] },
      { type: ["string"], maxLength: [9] },
      OLD,
    ],
    ["a plain schema in OpenAPI 3.0", { type: "string", maxLength: 9 }, { type: ["string"], maxLength: [9] }, OLD],
    ["nullable", { type: "string", nullable: true }, { type: [["string", "null"]] }],
    ["not nullable", { type: "string", nullable: false }, { type: ["string"] }],
    ["nullable without a type", { nullable: true }, {}],
    ["allOf", { allOf: [{ maxLength: 9 }, { maxLength: 9 }, { maxLength: 5 }] }, { maxLength: [9, 5] }],
    ["allOf and more", { allOf: [ref("Name")], maxLength: 5 }, { type: ["string"], maxLength: [9, 5] }],
    ["anyOf of one", { anyOf: [{ minLength: 1 }] }, { minLength: [1] }],
    ["oneOf of one", { oneOf: [{ minLength: 1 }] }, { minLength: [1] }],
    ["anyOf of two", { anyOf: [{ minLength: 1 }, {}] }, {}],
    ["anyOf with a member that allows no value", { anyOf: [{ minLength: 1 }, false] }, { minLength: [1] }],
    ["an enum of one", { enum: ["a"] }, { enum: [["a"]] }],
    ["an undefined keyword", { type: "string", maxLength: undefined }, { type: ["string"] }],
    ["a schema that contains itself", ref("Own"), { type: ["string"] }],
  ])("%s", (_name, schema, keywords, document = LATEST) => {
    expect(keywordsOf(document, schema)).toStrictEqual(keywords);
  });
});

test("valuesOf returns the values that occur in each list", () => {
  expect(valuesOf({ enum: [["a", 1, null]] })).toEqual(['"a"', "1", "null"]);
  expect(
    valuesOf({
      enum: [
        ["a", "b"],
        ["c", "b"],
      ],
    }),
  ).toEqual(['"b"']);
  expect(valuesOf({ enum: [["a", "b"]], const: ["b"] })).toEqual(['"b"']);
  expect(valuesOf({ const: ["b"] })).toEqual(['"b"']);
  expect(valuesOf({ const: ["a", "b"] })).toEqual([]);
  expect(valuesOf({ type: ["string"] })).toBeUndefined();
});

test("allOf combines schemas, each of them once", () => {
  expect(allOf([{ type: "string" }])).toEqual({ type: "string" });
  expect(allOf([true, { minLength: 1 }])).toEqual({ allOf: [true, { minLength: 1 }] });
  expect(allOf([{ minLength: 1 }, { minLength: 1 }])).toEqual({ minLength: 1 });
  expect(allOf([{ allOf: [{ minLength: 1 }, { allOf: [{ maxLength: 2 }] }] }])).toEqual({
    allOf: [{ minLength: 1 }, { maxLength: 2 }],
  });
  const more = { allOf: [{ minLength: 1 }], maxLength: 2 };
  expect(allOf([more])).toEqual(more);
});

describe("alternativesOf returns the alternatives of a value", () => {
  test.each<[name: string, schema: SchemaNode, found: object[]]>([
    ["without a type", { maxLength: 9 }, [{ keywords: { maxLength: [9] } }]],
    ["of one type", { type: "string" }, [{ type: "string", keywords: {} }]],
    [
      "of two types",
      { type: ["string", "null"], maxLength: 9 },
      [
        { type: "string", keywords: { maxLength: [9] } },
        { type: "null", keywords: {} },
      ],
    ],
    [
      "of a number and an integer at once",
      { allOf: [{ type: "number" }, { type: "integer" }] },
      [{ type: "integer", keywords: {} }],
    ],
    [
      "of an integer and a number at once",
      { allOf: [{ type: "integer" }, { type: "number" }] },
      [{ type: "integer", keywords: {} }],
    ],
    ["of a string and an integer at once", { allOf: [{ type: "string" }, { type: "integer" }] }, []],
    ["of an integer and a string at once", { allOf: [{ type: "integer" }, { type: "string" }] }, []],
    ["of a number and a string at once", { allOf: [{ type: "number" }, { type: "string" }] }, []],
    ["of a string and a number at once", { allOf: [{ type: "string" }, { type: "number" }] }, []],
    [
      "of two lists of types at once",
      { allOf: [{ type: ["string", "null"] }, { type: ["null", "boolean"] }] },
      [{ type: "null", keywords: {} }],
    ],
    [
      "with anyOf of two",
      { anyOf: [{ type: "string" }, { type: "null" }], title: "a" },
      [
        { type: "string", keywords: { title: ["a"] } },
        { type: "null", keywords: { title: ["a"] } },
      ],
    ],
    [
      "with oneOf of two, by their names",
      { oneOf: [ref("Name"), { type: "null" }] },
      [
        { name: "Name", type: "string", keywords: { maxLength: [9], oneOf: [[ref("Name"), { type: "null" }]] } },
        { type: "null", keywords: { oneOf: [[ref("Name"), { type: "null" }]] } },
      ],
    ],
    [
      "with a named choice of two",
      { anyOf: [ref("Pet"), { type: "null" }] },
      [
        { name: "Pet", keywords: { required: [["claws"]], oneOf: [PET.oneOf] } },
        { name: "Pet", keywords: { required: [["bark"]], oneOf: [PET.oneOf] } },
        { type: "null", keywords: {} },
      ],
    ],
    [
      "with two choices at once",
      { allOf: [{ anyOf: [{ minLength: 1 }, { minLength: 2 }] }, { anyOf: [{ maxLength: 3 }, { maxLength: 4 }] }] },
      [
        { keywords: { minLength: [1], maxLength: [3] } },
        { keywords: { minLength: [1], maxLength: [4] } },
        { keywords: { minLength: [2], maxLength: [3] } },
        { keywords: { minLength: [2], maxLength: [4] } },
      ],
    ],
    [
      "with a choice between itself and another schema",
      ref("Self"),
      [
        { name: "Self", type: "string", keywords: {} },
        { type: "string", keywords: {} },
      ],
    ],
  ])("%s", (_name, schema, found) => {
    expect(alternatives(schema)).toStrictEqual(found);
  });

  test("with only the values of their type", () => {
    const values = ["a", null, [1], 1, 1.5, true, {}];
    const type = ["string", "null", "array", "integer", "number", "boolean", "object"];
    const left = alternatives({ type, enum: values, const: undefined }).map((alternative) => [
      alternative.type,
      alternative.keywords["enum"],
    ]);
    expect(left).toEqual([
      ["string", [["a"]]],
      ["null", [[null]]],
      ["array", [[[1]]]],
      ["number", [[1, 1.5]]],
      ["boolean", [[true]]],
      ["object", [[{}]]],
    ]);
    expect(alternatives({ type: ["string", "null"], const: "a" })).toEqual([
      { type: "string", keywords: { enum: [["a"]] } },
    ]);
    expect(alternatives({ type: "string", const: "a" })).toEqual([{ type: "string", keywords: { const: ["a"] } }]);
  });

  test("with only the assertions for their type, and format only for types that can have one", () => {
    const assertions: Record<string, string> = {
      string: "pattern minLength maxLength contentEncoding contentMediaType contentSchema",
      number: "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
      array: "items minItems maxItems uniqueItems contains unevaluatedItems",
      object:
        "properties required patternProperties propertyNames minProperties maxProperties dependentRequired additionalProperties unevaluatedProperties",
    };
    const keywords = [...Object.values(assertions), "format title"].join(" ").split(" ");
    const schema = Object.fromEntries(keywords.map((keyword) => [keyword, 1]));
    const type = ["string", "number", "array", "object", "boolean", "null"];
    const found = alternatives({ ...schema, type }).map((alternative) => [
      alternative.type,
      Object.keys(alternative.keywords).join(" "),
    ]);
    expect(found).toEqual([
      ["string", `${assertions["string"]} format title`],
      ["number", `${assertions["number"]} format title`],
      ["array", `${assertions["array"]} format title`],
      ["object", `${assertions["object"]} format title`],
      ["boolean", "title"],
      ["null", "title"],
    ]);
  });
});

test("a schema is expanded once, with however many others it is compared", () => {
  expect(alternatives(PET)).toBe(alternatives(PET));
});
