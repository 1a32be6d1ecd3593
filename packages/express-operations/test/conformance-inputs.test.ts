import { describe, expect, test } from "vitest";
import { encodeRequest, exampleRequest } from "../src/conformance/example-request.ts";
import { validValue } from "../src/example/valid-value.ts";
import { exampleValue } from "../src/example/example-value.ts";

import { invalidValues, negativeInputs } from "../src/conformance/negative-inputs.ts";
import { declaredBody, encodeBody, sentAs } from "../src/conformance/request-body.ts";
import { operationsOf, type Schema, boundsOf, effectiveSchema, nonNullTypesOf } from "openapi-document";

const document = { openapi: "3.1.0", paths: {}, components: { schemas: { Name: { type: "string", minLength: 2 } } } };
const ref = { $ref: "#/components/schemas/Name" };

describe("the effective constraints of a schema", () => {
  test.each<[node: Schema, effective: Schema]>([
    [
      {
        allOf: [
          { minimum: 1, maximum: 9 },
          { minimum: 3, maximum: 5 },
        ],
      },
      { minimum: 3, maximum: 5 },
    ],
    [
      { allOf: [{ minItems: 4 }], minItems: 2, maxLength: 3 },
      { minItems: 4, maxLength: 3 },
    ],
    [{ allOf: [{ required: ["a", "b"] }, { required: ["b", "c"] }] }, { required: ["a", "b", "c"] }],
    [{ allOf: [{ type: ["string", "null"] }, { type: "string" }] }, { type: ["string"] }],
    [{ allOf: [{ enum: [1, 2, 3] }, { enum: [3, 2, 4] }] }, { enum: [2, 3] }],
    [{ allOf: [{ additionalProperties: false }, { additionalProperties: true }] }, { additionalProperties: false }],
    [{ allOf: [{ additionalProperties: true }, { additionalProperties: false }] }, { additionalProperties: false }],
    [{ allOf: [{ example: { a: 1 } }, { example: { b: 2 } }] }, { example: { a: 1, b: 2 } }],
    [{ allOf: [{ example: { a: 1 } }, { example: null }] }, { example: null }],
    [{ allOf: [{ example: [1] }, { example: { b: 2 } }] }, { example: { b: 2 } }],
    [{ allOf: [{ title: "one" }], title: "other" }, { title: "other" }],
    [
      { allOf: [{ properties: { a: { minimum: 1 }, b: {} } }], properties: { a: { maximum: 2 }, c: {} } },
      { properties: { a: { allOf: [{ minimum: 1 }, { maximum: 2 }] }, b: {}, c: {} } },
    ],
    [
      { ...ref, maxLength: 5 },
      { type: "string", minLength: 2, maxLength: 5 },
    ],
    [{ allOf: [{ allOf: [ref] }, {}] }, { type: "string", minLength: 2 }],
  ])("%j is %j", (node, effective) => {
    expect(effectiveSchema(document, node)).toEqual(effective);
  });

  test.each(["minimum", "minLength", "minItems", "minProperties"])("have the largest of several %s", (keyword) => {
    const node = { allOf: [1, 3, 2].map((bound) => ({ [keyword]: bound })) };
    expect(effectiveSchema(document, node)).toEqual({ [keyword]: 3 });
  });

  test.each(["maximum", "maxLength", "maxItems", "maxProperties"])("have the smallest of several %s", (keyword) => {
    const node = { allOf: [3, 1, 2].map((bound) => ({ [keyword]: bound })) };
    expect(effectiveSchema(document, node)).toEqual({ [keyword]: 1 });
  });

  test("keywords beside a reference apply from OpenAPI 3.1 on", () => {
    expect(effectiveSchema({ ...document, openapi: "3.0.3" }, { ...ref, maxLength: 5 })).toEqual({
      type: "string",
      minLength: 2,
    });
  });

  test.each<[node: Schema | undefined, types: string[]]>([
    [undefined, []],
    [{}, []],
    [{ type: ["string", "null"] }, ["string"]],
    [{ allOf: [{}, { type: "integer" }] }, ["integer"]],
    [{ allOf: [{ type: "integer" }, { type: "number" }] }, ["integer"]],
    [{ oneOf: [{ type: "integer" }, { type: "null" }], anyOf: [ref] }, ["integer", "string"]],
    [{ anyOf: [{ type: "integer" }, {}] }, []],
  ])("%j allows the types %j besides null", (node, types) => {
    expect([...nonNullTypesOf(document, node)]).toEqual(types);
  });

  test.each<[schema: Schema, bounds: object]>([
    [
      { minimum: 1, maximum: 2 },
      { minimum: 1, maximum: 2 },
    ],
    [
      { minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true },
      { above: 1, below: 2 },
    ],
    [
      { minimum: 1, exclusiveMinimum: false, maximum: 2, exclusiveMaximum: false },
      { minimum: 1, maximum: 2 },
    ],
    [
      { exclusiveMinimum: 1, exclusiveMaximum: 2 },
      { above: 1, below: 2 },
    ],
    [{ minimum: "1" }, {}],
  ])("%j bounds a number by %j", (schema, bounds) => {
    const none = { minimum: undefined, maximum: undefined, above: undefined, below: undefined };
    expect(boundsOf(schema)).toEqual({ ...none, ...bounds });
  });
});

describe("a valid value", () => {
  test.each<[schema: Schema, value: unknown]>([
    [{ type: "integer" }, 1],
    [{ type: "integer", example: 5, default: 6 }, 5],
    [{ examples: [7, 8], default: 6 }, 7],
    [{ default: 6, const: 7 }, 7],
    [{ const: 7, enum: [8] }, 7],
    [{ enum: [8, 9] }, 8],
    [{ enum: ["", "B", "P"] }, ""],
    [{ example: "", enum: ["", "B", "P"], minLength: 1 }, "B"],
    [{ enum: [""], minLength: 1 }, ""],
    [{ enum: [null] }, null],
    [{ example: null, enum: [null, "a"] }, "a"],
    [{ examples: { one: 1 }, enum: "a" }, "x"],
    [{ type: ["null", "boolean"] }, true],
    [{ type: "number", minimum: 2.5 }, 2.5],
    [{ type: "number", minimum: 2, maximum: 5 }, 2],
    [{ type: "integer", exclusiveMinimum: 3 }, 4],
    [{ type: "integer", maximum: -3 }, -3],
    [{ type: "integer", exclusiveMaximum: 0 }, -1],
    [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: "integer", minimum: 4, multipleOf: 3 }, 6],
    [{ type: "integer", exclusiveMinimum: 6, multipleOf: 3 }, 9],
    [{ type: "integer", exclusiveMinimum: 7, multipleOf: 3 }, 9],
    [{ type: "integer", multipleOf: 5 }, 5],
    [{ type: "number", minimum: 1, maximum: 1 }, 1],
    [{ type: "array" }, []],
    [{ type: "array", items: { type: "string" }, minItems: 2 }, ["x", "x"]],
    [{ type: "array", items: { enum: ["a", "b", "c"] }, minItems: 2, uniqueItems: true }, ["a", "b"]],
    [{ type: "array", items: { type: "string" }, minItems: 1, uniqueItems: true }, ["x"]],
    [{ type: "string" }, "x"],
    [{ type: "string", minLength: 3 }, "xxx"],
    [{ type: "string", minLength: 0 }, ""],
    [{ type: "string", format: "byte" }, "eA=="],
    [{ type: "string", format: "binary" }, "x"],
    [{ oneOf: [{ type: "boolean" }, { type: "integer" }] }, true],
    [{ anyOf: [{ type: "boolean" }, { type: "integer" }] }, true],
    [{ anyOf: [{ maxLength: 4 }], minLength: 4, type: "string" }, "xxxx"],
    [{ properties: { a: {} }, required: ["a"] }, { a: "x" }],
    [{ type: "object", properties: { a: {}, b: {} }, minProperties: 1 }, { a: "x" }],
    [{ type: "object", properties: { a: { readOnly: true }, b: {} }, minProperties: 1 }, { b: "x" }],
    [
      { type: "object", properties: { a: {}, b: { readOnly: true }, c: {} }, required: ["c"], minProperties: 2 },
      { c: "x", a: "x" },
    ],
    [
      { type: "object", properties: { a: {}, b: {} }, example: { b: 1 }, required: ["a"] },
      { b: 1, a: "x" },
    ],
    [
      { type: "object", properties: { a: {}, b: {}, c: {} }, example: { b: 1 }, required: ["a"], minProperties: 2 },
      { b: 1, a: "x" },
    ],
    [
      { type: "object", properties: { a: {}, b: {} }, example: { a: 1 }, minProperties: 2 },
      { a: 1, b: "x" },
    ],
    [
      { type: "object", properties: { c: {}, a: {} }, required: ["c"], minProperties: 2 },
      { c: "x", a: "x" },
    ],
    [
      { type: "object", properties: { a: {}, b: {} }, example: { b: 1 }, minProperties: 2 },
      { b: 1, a: "x" },
    ],
    [{ type: "string", format: "date-time" }, "2000-01-01T00:00:00Z"],
    [{ type: "string", format: "of-its-own" }, "x"],
    [{ type: "string", pattern: "^[A-Z]{2}-\\d+$" }, "AA-0"],
    [{ type: "string", pattern: "^[a-f]+$", minLength: 5 }, "aaaaa"],
    [{ type: "string", pattern: "^[a-f]*$" }, "a"],
    [{ type: "string", pattern: "b", minLength: 3 }, "bxx"],
    [{ type: "string", pattern: "^\\p{Lu}é$" }, "Aé"],
    [{ type: "string", pattern: "^$" }, ""],
  ])("of %j is %j", (schema, value) => {
    expect(exampleValue(document, schema, "it")).toEqual(value);
  });

  test.each<Schema>([
    { type: "string", pattern: "^a$", minLength: 3 },
    { type: "string", pattern: "^(.)\\1$" },
    { type: "string", pattern: "^a$", maxLength: 0 },
    { type: "string", format: "date", pattern: "^a$" },
    { type: "string", format: "uuid", maxLength: 9 },
    { type: "integer", minimum: 5, maximum: 4 },
    { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 },
    { type: "array", items: { enum: ["a"] }, minItems: 2, uniqueItems: true },
  ])("of %j cannot be generated, so the document must have an example", (schema) => {
    expect(() => exampleValue(document, schema, "it")).toThrow("The document gives no example for it: add one.");
  });
});

test("a field without a valid value does not empty later lists of its schema", async () => {
  const impossible = { allOf: [ref, { maxLength: 1 }] };
  const schema = { type: "object", properties: { a: impossible, b: { type: "array", items: ref } } };
  expect(await validValue(document as never, schema, "a response")).toEqual({ b: ["xx"] });
});

describe("invalid values", () => {
  test.each<[schema: Schema, values: Record<string, unknown>]>([
    [{}, {}],
    [{ type: ["integer", "string"] }, {}],
    [{ type: "integer", nullable: true }, {}],
    [{ type: "boolean", nullable: false }, { "of the wrong type": "maybe" }],
    [{ type: "integer" }, { "of the wrong type": "abc", "with a fraction": 1.5 }],
    [{ type: "number" }, { "of the wrong type": "abc" }],
    [{ type: "boolean" }, { "of the wrong type": "maybe" }],
    [{ type: "string" }, { "of the wrong type": 1 }],
    [{ type: "array" }, { "of the wrong type": "abc" }],
    [{ type: "object" }, { "of the wrong type": [] }],
    [{ type: "null" }, {}],
    [{ enum: ["a"] }, { "not in the enum": "no-such-value" }],
    [
      { minimum: 1, maximum: 3 },
      { "below its minimum": 0, "above its maximum": 4 },
    ],
    [{ minimum: 0.5 }, { "below its minimum": -0.5 }],
    [
      { exclusiveMinimum: 1, exclusiveMaximum: 3 },
      { "at its exclusive minimum": 1, "at its exclusive maximum": 3 },
    ],
    [{ maximum: 2 ** 53 - 1 }, {}],
    [{ minLength: 0 }, {}],
    [{ minLength: 1 }, { "shorter than allowed": "" }],
    [
      { minLength: 3, maxLength: 4 },
      { "shorter than allowed": "xx", "longer than allowed": "xxxxx" },
    ],
    [{ minLength: 4_002, maxLength: 4_002 }, {}],
    [{ maxLength: 4_000 }, {}],
    [{ minLength: 4_000 }, { "shorter than allowed": "x".repeat(3_999) }],
    [{ pattern: "^[^\\p{L}]+$" }, { "not matching its pattern": "x" }],
    [{ items: { const: 1 }, maxItems: 4_000 }, {}],
    [
      { items: { const: 1 }, minItems: 4_000 },
      { "with fewer items than allowed": Array.from({ length: 3_999 }, () => 1) },
    ],
    [{ pattern: "^[a-z]+$" }, { "not matching its pattern": "!" }],
    [
      { pattern: "^!+$", minLength: 2 },
      { "shorter than allowed": "x", "not matching its pattern": "~~" },
    ],
    [{ pattern: "^.*$" }, {}],
    [{ pattern: "(" }, {}],
    [{ pattern: "a", maxLength: 0 }, { "longer than allowed": "x" }],
    [
      { items: { type: "integer" }, minItems: 2, maxItems: 3 },
      { "with fewer items than allowed": [1], "with more items than allowed": [1, 1, 1, 1] },
    ],
    [{ items: { format: "date", maxLength: 1 }, maxItems: 1 }, {}],
    [{ minItems: 0 }, {}],
  ])("of %j", (schema, values) => {
    expect(invalidValues(document, schema).map(({ title, value }) => [title, value])).toEqual(Object.entries(values));
  });
});

/** Returns the valid request and the invalid requests for one operation, as lines of text. */
function sentBy(operation: object, template = "/a", method = "get") {
  const whole = { ...document, paths: { [template]: { [method]: { operationId: "x", responses: {}, ...operation } } } };
  const [entry] = operationsOf(whole);
  const lineOf = (change: (request: ReturnType<typeof exampleRequest>) => void) => {
    const request = exampleRequest(whole, entry!);
    change(request);
    const { path, query, headers, body } = encodeRequest(request);
    headers.delete("Content-Type");
    const fields = Array.from(headers, (pair) => pair.join("="));
    const text =
      body instanceof FormData ? [...body].map(([name, part]) => `${name}=${part as string}`).join("&") : body;
    return [path + query, ...fields, ...(text === undefined ? [] : [text])].join(" ");
  };
  return {
    valid: lineOf(() => {}),
    invalid: Object.fromEntries(negativeInputs(whole, entry!).map(({ title, apply }) => [title, lineOf(apply)])),
  };
}

describe("the requests of an operation", () => {
  const query = (schema: object, more: object = {}) => ({ parameters: [{ in: "query", name: "q", schema, ...more }] });
  const unknown = "/a?no-such-parameter=1";

  test.each<[operation: object, valid: string, invalid: Record<string, string>]>([
    [
      query({ type: "integer", minimum: 1 }, { required: true }),
      "/a?q=1",
      {
        "query parameter q of the wrong type": "/a?q=abc",
        "query parameter q with a fraction": "/a?q=1.5",
        "query parameter q below its minimum": "/a?q=0",
        "query parameter q missing": "/a",
        "query parameter q given twice": "/a?q=1&q=1",
        "unknown query parameter": "/a?q=1&no-such-parameter=1",
      },
    ],
    [
      query({ type: "string", enum: ["", "a"] }, { required: true, example: [""] }),
      "/a?q=a",
      {
        "query parameter q not in the enum": "/a?q=no-such-value",
        "query parameter q missing": "/a",
        "query parameter q given twice": "/a?q=a&q=a",
        "unknown query parameter": "/a?q=a&no-such-parameter=1",
      },
    ],
    [
      query({ type: "string", default: "d" }, { required: true }),
      "/a?q=d",
      { "query parameter q given twice": "/a?q=d&q=d", "unknown query parameter": "/a?q=d&no-such-parameter=1" },
    ],
    [
      query({ type: "string", minLength: 1 }),
      "/a",
      {
        "query parameter q shorter than allowed": "/a?q=",
        "query parameter q given twice": "/a?q=x&q=x",
        "unknown query parameter": unknown,
      },
    ],
    [
      query({ type: "string", minLength: 1 }, { allowEmptyValue: true }),
      "/a",
      { "query parameter q given twice": "/a?q=x&q=x", "unknown query parameter": unknown },
    ],
    [
      query({ type: "string", minLength: 2 }, { allowEmptyValue: true }),
      "/a",
      {
        "query parameter q shorter than allowed": "/a?q=x",
        "query parameter q given twice": "/a?q=xx&q=xx",
        "unknown query parameter": unknown,
      },
    ],
    [
      query({ type: "array", example: [1, 2] }, { required: true, style: "spaceDelimited", explode: false }),
      "/a?q=1%202",
      { "query parameter q missing": "/a", "unknown query parameter": "/a?q=1%202&no-such-parameter=1" },
    ],
    [
      { parameters: [{ in: "header", name: "X-L", required: true, schema: { type: "array", example: [1, 2] } }] },
      "/a x-l=1,2",
      { "header parameter X-L missing": "/a", "unknown query parameter": `${unknown} x-l=1,2` },
    ],
    [query({ nullable: true }), "/a", { "unknown query parameter": unknown }],
    [
      query({ type: "array", example: [1] }, { required: true, example: [5] }),
      "/a?q=5",
      { "query parameter q missing": "/a", "unknown query parameter": "/a?q=5&no-such-parameter=1" },
    ],
    [
      query(
        { type: "array", example: [1] },
        { required: true, examples: { six: { value: [6] }, seven: { value: [7] } } },
      ),
      "/a?q=6",
      { "query parameter q missing": "/a", "unknown query parameter": "/a?q=6&no-such-parameter=1" },
    ],
    [
      query({ type: ["string", "integer"], enum: ["a", 1] }),
      "/a",
      {
        "query parameter q not in the enum": "/a?q=no-such-value",
        "query parameter q given twice": "/a?q=a&q=a",
        "unknown query parameter": unknown,
      },
    ],
    [
      query({ type: "array", items: { type: "integer" } }, { required: true }),
      "/a?q=1",
      { "query parameter q missing": "/a", "unknown query parameter": "/a?q=1&no-such-parameter=1" },
    ],
    [
      query({ type: "array", example: [1, 2] }, { required: true, style: "pipeDelimited", explode: false }),
      "/a?q=1%7C2",
      { "query parameter q missing": "/a", "unknown query parameter": "/a?q=1%7C2&no-such-parameter=1" },
    ],
    [
      query({ type: "object", example: { a: 1, b: "ü" } }, { required: true }),
      "/a?a=1&b=%C3%BC",
      { "query parameter q missing": "/a" },
    ],
    [
      query({ type: "object", example: { a: 1, b: [2, 3] } }, { required: true, style: "deepObject", explode: true }),
      "/a?q%5Ba%5D=1&q%5Bb%5D=2&q%5Bb%5D=3",
      {
        "query parameter q missing": "/a",
        "unknown query parameter": "/a?q%5Ba%5D=1&q%5Bb%5D=2&q%5Bb%5D=3&no-such-parameter=1",
      },
    ],
    [
      query({ type: "object", example: { a: 1, b: 2 } }, { required: true, explode: false }),
      "/a?q=a,1,b,2",
      { "query parameter q missing": "/a", "unknown query parameter": "/a?q=a,1,b,2&no-such-parameter=1" },
    ],
    [
      {
        parameters: [
          { in: "query", name: "q", required: true, content: { "application/json": { example: { a: 1 } } } },
        ],
      },
      "/a?q=%7B%22a%22%3A1%7D",
      { "query parameter q missing": "/a", "unknown query parameter": "/a?q=%7B%22a%22%3A1%7D&no-such-parameter=1" },
    ],
    [
      {
        parameters: [
          { in: "query", name: "q", required: true, content: { "application/json": { schema: { type: "integer" } } } },
        ],
      },
      "/a?q=1",
      { "query parameter q missing": "/a", "unknown query parameter": "/a?q=1&no-such-parameter=1" },
    ],
    [
      {
        parameters: ["query", "header", "cookie"].map((place) => ({
          in: place,
          name: "p",
          schema: { type: "string", pattern: "^[ -~]+$", example: "x" },
        })),
      },
      "/a",
      {
        "query parameter p not matching its pattern": "/a?p=%07", // a header and a cookie cannot hold such a character
        "query parameter p given twice": "/a?p=x&p=x",
        "unknown query parameter": unknown,
      },
    ],
    [
      {
        parameters: [
          {
            in: "header",
            name: "X-A",
            required: true,
            schema: { type: "string", minLength: 1, pattern: "^x$", example: "x" },
          },
          { in: "header", name: "accept", schema: { type: "integer" } },
        ],
      },
      "/a x-a=x",
      {
        "header parameter X-A shorter than allowed": "/a x-a=",
        "header parameter X-A not matching its pattern": "/a x-a=!",
        "header parameter X-A missing": "/a",
        "unknown query parameter": `${unknown} x-a=x`,
      },
    ],
    [
      {
        parameters: ["header", "cookie", "query"].map((place) => ({
          in: place,
          name: "j",
          required: true,
          content: { "application/json": { example: { a: 1 } } },
        })),
      },
      '/a?j=%7B%22a%22%3A1%7D cookie=j={"a":1} j={"a":1}',
      {
        "header parameter j missing": '/a?j=%7B%22a%22%3A1%7D cookie=j={"a":1}',
        "cookie parameter j missing": '/a?j=%7B%22a%22%3A1%7D j={"a":1}',
        "query parameter j missing": '/a cookie=j={"a":1} j={"a":1}',
        "unknown query parameter": '/a?j=%7B%22a%22%3A1%7D&no-such-parameter=1 cookie=j={"a":1} j={"a":1}',
      },
    ],
    [
      { parameters: [{ in: "header", name: "X-O", schema: { type: "object" } }] },
      "/a",
      { "unknown query parameter": unknown },
    ],
    [
      { parameters: [{ in: "cookie", name: "c", required: true, schema: { type: "boolean" } }] },
      "/a cookie=c=true",
      {
        "cookie parameter c of the wrong type": "/a cookie=c=maybe",
        "cookie parameter c missing": "/a",
        "unknown query parameter": `${unknown} cookie=c=true`,
      },
    ],
  ])("%j", (operation, valid, invalid) => {
    expect(sentBy(operation)).toEqual({ valid, invalid });
  });

  test("fill the parameters of a path", () => {
    const parameter = (name: string, schema: object, more: object = {}) => ({
      in: "path",
      name,
      required: true,
      schema,
      ...more,
    });
    const parameters = [
      parameter("id", { type: "string", minLength: 1 }),
      parameter("list", { type: "array", example: ["a/b", "c"] }),
    ];
    expect(sentBy({ parameters }, "/a/{id}/{list}")).toEqual({
      valid: "/a/x/a%2Fb,c",
      invalid: { "unknown query parameter": "/a/x/a%2Fb,c?no-such-parameter=1" },
    });
    expect(sentBy({}, "/a/{id}").valid, "a parameter that is not declared").toBe("/a/x");
    const object = { parameters: [parameter("o", { type: "object", example: { a: 1, b: 2 } }, { explode: true })] };
    expect(sentBy(object, "/a/{o}").valid).toBe("/a/a=1,b=2");
  });

  /** Returns the titles of a schema's invalid bodies, in order. */
  const titlesOf = (schema: object, type = "application/json") => {
    const { invalid } = sentBy({ requestBody: { required: true, content: { [type]: { schema } } } }, "/a", "post");
    return Object.keys(invalid).flatMap((title) => (title.startsWith("body ") ? title.slice("body ".length) : []));
  };

  test.each<[more: object, isClosed: boolean]>([
    [{ additionalProperties: false }, true],
    [{ unevaluatedProperties: false }, true],
    [{ additionalProperties: false, patternProperties: { "^x": {} } }, false],
    [{ additionalProperties: {} }, false],
    [{}, false],
  ])("include an unknown field if the body is closed: %j is %s", (more, isClosed) => {
    const titles = titlesOf({ properties: { a: {} }, ...more });
    expect(titles).toEqual(["missing", ...(isClosed ? ["with an unknown field"] : []), "that is not JSON"]);
  });

  test("include no variants with changed fields for a text body", () => {
    const schema = { required: ["a"], properties: { a: {} }, additionalProperties: false, example: "a" };
    expect(titlesOf(schema, "text/csv")).toEqual(["missing"]);
  });

  test("include invalid variants of a JSON body", () => {
    const schema = {
      type: "object",
      required: ["id", "name", "legs"],
      properties: { id: { readOnly: true }, name: { type: "string" }, legs: { type: "integer", default: 4 } },
      additionalProperties: false,
    };
    const requestBody = { required: true, content: { "text/plain": {}, "application/json": { schema } } };
    expect(sentBy({ requestBody }, "/a", "post")).toEqual({
      valid: '/a {"name":"x","legs":4}',
      invalid: {
        "unknown query parameter": '/a?no-such-parameter=1 {"name":"x","legs":4}',
        "body missing": "/a",
        "body without the field name": '/a {"legs":4}',
        "body with an unknown field": '/a {"name":"x","legs":4,"noSuchField":1}',
        "body that is not JSON": "/a {not json",
        "body of the wrong type": "/a []",
        "body with the field name of the wrong type": '/a {"name":1,"legs":4}',
        "body with the field legs of the wrong type": '/a {"name":"x","legs":"abc"}',
        "body with the field legs with a fraction": '/a {"name":"x","legs":1.5}',
      },
    });
    expect(titlesOf(schema)).toEqual([
      "missing",
      "without the field name",
      "with an unknown field",
      "that is not JSON",
      "of the wrong type",
      "with the field name of the wrong type",
      "with the field legs of the wrong type",
      "with the field legs with a fraction",
    ]);
  });

  test("include invalid variants of a form, a multipart body and text", () => {
    const schema = {
      type: "object",
      required: ["a"],
      properties: { a: { type: "array", items: {}, minItems: 2 }, o: { type: "object", example: { b: 1 } } },
      example: { a: ["1", "ü"], o: { b: 1 } },
    };
    const of = (type: string, required: boolean) =>
      sentBy({ requestBody: { required, content: { [type]: { schema } } } }, "/a", "post");
    expect(of("application/x-www-form-urlencoded", true)).toEqual({
      valid: "/a a=1&a=%C3%BC&o=%7B%22b%22%3A1%7D",
      invalid: {
        "unknown query parameter": "/a?no-such-parameter=1 a=1&a=%C3%BC&o=%7B%22b%22%3A1%7D",
        "body missing": "/a",
        "body without the field a": "/a o=%7B%22b%22%3A1%7D",
      },
    });
    expect(of("multipart/form-data", false)).toEqual({
      valid: '/a a=1&a=ü&o={"b":1}',
      invalid: {
        "unknown query parameter": '/a?no-such-parameter=1 a=1&a=ü&o={"b":1}',
        "body without the field a": '/a o={"b":1}',
      },
    });
    const text = {
      requestBody: { required: true, content: { "text/*": { schema: { type: "string", maxLength: 3 } } } },
    };
    expect(sentBy(text, "/a", "post")).toEqual({
      valid: "/a x",
      invalid: { "unknown query parameter": "/a?no-such-parameter=1 x", "body missing": "/a" },
    });
  });
});

test("credentials replace a query parameter with the same name", () => {
  const [entry] = operationsOf({ openapi: "3.1.0", paths: { "/a": { get: { operationId: "x" } } } });
  const request = exampleRequest(document, entry!, { query: { k: "good one" } });
  request.query = [
    { of: "k", text: "k=x" },
    { of: "a", text: "a=1" },
  ];
  expect(encodeRequest(request).query).toBe("?a=1&k=good%20one");
});

test("a body has the first declared JSON media type, and its example", () => {
  const schema = { type: "object", properties: { a: {} } };
  const content = { "text/plain": {}, "application/a+json": { schema, example: { a: 5 } }, "application/json": {} };
  expect(sentBy({ requestBody: { content } }, "/a", "post").valid).toBe('/a {"a":5}');
  const whole = { ...document, paths: { "/a": { post: { operationId: "x", requestBody: { content } } } } };
  expect(declaredBody(whole, operationsOf(whole)[0]!)?.contentType).toBe("application/a+json");
});

test("files have the media type of their schema, and their example as content", async () => {
  const properties = {
    image: { type: "string", contentMediaType: "image/png", example: "pixels" },
    bytes: { type: "string", format: "binary", example: "raw" },
    coded: { type: "string", contentMediaType: "image/png", contentEncoding: "base64", example: "eA==" },
  };
  const schema = { type: "object", required: Object.keys(properties), properties };
  const post = { operationId: "x", requestBody: { content: { "multipart/form-data": { schema } } } };
  const whole = { ...document, paths: { "/a": { post } } };
  const form = encodeBody(exampleRequest(whole, operationsOf(whole)[0]!).body!) as FormData;
  const parts = [...form].map(async ([name, part]) =>
    part instanceof File ? [name, part.name, part.type, await part.text()] : [name, part],
  );
  expect(await Promise.all(parts)).toEqual([
    ["image", "file.bin", "image/png", "pixels"],
    ["bytes", "file.bin", "application/octet-stream", "raw"],
    ["coded", "eA=="],
  ]);
});

test.each([
  ["application/json", { type: "string" }, '"x"'],
  ["application/json", { type: "integer" }, "1"],
  ["text/plain", { type: "string" }, "x"],
  ["text/plain", { type: "integer" }, "1"],
])("a body of %s and %j is sent as %s", (type, schema, body) => {
  expect(sentBy({ requestBody: { content: { [type]: { schema } } } }, "/a", "post").valid).toBe(`/a ${body}`);
});

test("a media range is sent as a matching media type", () => {
  expect(["*/*", "text/*", "image/*", "a/b"].map(sentAs)).toEqual([
    "application/octet-stream",
    "text/plain",
    "image/x-any",
    "a/b",
  ]);
});

test("GET and HEAD are sent without a body, even if one is declared", () => {
  const operation = { requestBody: { content: { "application/json": { example: 1 } } }, responses: {} };
  const methods = { get: operation, head: operation, delete: operation };
  const whole = { ...document, paths: { "/a": methods } };
  const bodies = operationsOf(whole as never).map((entry) => [
    entry.method,
    declaredBody(whole as never, entry)?.example,
  ]);
  expect(Object.fromEntries(bodies)).toEqual({ get: undefined, head: undefined, delete: 1 });
});

test("the error for a parameter without an example gives its name and the remedy", () => {
  const parameters = [{ in: "query", name: "since", required: true, schema: { type: "string", pattern: "^(.)\\1$" } }];
  const whole = { ...document, paths: { "/a": { get: { operationId: "x", parameters, responses: {} } } } };
  const [entry] = operationsOf(whole);
  expect(() => exampleRequest(whole as never, entry!)).toThrow(
    'The document gives no example for parameter "since": add one.',
  );
});
