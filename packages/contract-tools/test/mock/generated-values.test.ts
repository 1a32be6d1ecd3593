import type { OpenApiDocument, Schema } from "openapi-document";
import { describe, expect, test } from "vitest";
import { validValue } from "express-operations/conformance";
import { serve } from "./serve.ts";
import { randomNumbers } from "../../src/mock/conditions.ts";

const text = { type: "string" };
const responseOf = (schema: object, more: object = {}) => ({
  description: "",
  content: { "application/json": { schema, ...more } },
});

function documentOf(responses: object, schemas: object = {}, more: object = {}): OpenApiDocument {
  return {
    openapi: "3.1.1",
    paths: { "/it": { get: { operationId: "getIt", responses, ...more } } },
    components: { schemas },
  };
}

/** Requests the value that the mock makes of a schema. The mock validates its responses, and refuses invalid ones with 500. */
async function made(schema: object, schemas: object = {}, prefer = ""): Promise<{ status: number; body: unknown }> {
  const { request } = await serve({ document: documentOf({ 200: responseOf(schema) }, schemas) });
  const response = await request("/it", prefer === "" ? {} : { headers: { Prefer: prefer } });
  return { status: response.status, body: await response.json() };
}

describe("a made response has its optional fields", () => {
  const Pet = {
    type: "object",
    properties: {
      id: { type: "integer", example: 10 },
      name: { type: "string", examples: ["Rex"] },
      kind: { type: "string", default: "dog" },
      secret: { type: "string", writeOnly: true },
      parent: { $ref: "#/components/schemas/Pet" },
      toys: { type: "array", items: { $ref: "#/components/schemas/Toy" } },
      tags: { type: "object", additionalProperties: { type: "integer" } },
    },
  };
  const Toy = {
    allOf: [{ type: "object", properties: { size: { enum: [3] } } }, { properties: { made: { const: 1 } } }],
  };
  const pet = { id: 10, name: "Rex", kind: "dog", toys: [{ size: 3, made: 1 }], tags: { x0: 1 } };
  test("with their examples and defaults, until a schema leads back to itself", async () => {
    const schemas = { Pet, Toy };
    expect(await made({ $ref: "#/components/schemas/Pet" }, schemas)).toEqual({ status: 200, body: pet });
    const list = { type: "array", items: { $ref: "#/components/schemas/Pet" } };
    expect(await made(list, schemas)).toEqual({ status: 200, body: [pet] });
  });

  test("except for those whose example breaks the schema, which are made, and those without any value", async () => {
    const properties = { a: { type: "integer", example: "one" }, b: { allOf: [text, { type: "boolean" }] } };
    expect(await made({ type: "object", properties })).toEqual({ status: 200, body: { a: 1 } });
  });
});

describe("a made value is valid", () => {
  const object = (more: object) => ({ type: "object", ...more });
  test.each<[name: string, schema: Schema]>([
    ["tuple", { type: "array", prefixItems: [text, { type: "integer" }], unevaluatedItems: false, minItems: 2 }],
    ["contains", { type: "array", contains: { const: 7 }, minItems: 2, minContains: 2 }],
    [
      "uniqueItems",
      { type: "array", uniqueItems: true, minItems: 30, items: { type: "string", pattern: "^[A-Z]{2}$" } },
    ],
    [
      "uniqueItems of objects",
      { type: "array", uniqueItems: true, minItems: 3, items: object({ properties: { a: text } }) },
    ],
    [
      "dependentRequired",
      object({ required: ["a"], properties: { a: text, b: text }, dependentRequired: { a: ["b"] } }),
    ],
    [
      "dependentSchemas",
      object({ required: ["a"], dependentSchemas: { a: { required: ["b"], properties: { b: { type: "integer" } } } } }),
    ],
    [
      "if, then",
      object({
        required: ["k"],
        properties: { k: { const: "v" } },
        if: { properties: { k: { const: "v" } } },
        // oxlint-disable-next-line unicorn/no-thenable
        then: { required: ["z"], properties: { z: { type: "integer" } } },
      }),
    ],
    [
      "several ifs",
      object({
        required: ["k"],
        properties: { k: { enum: ["b", "a"] } },
        allOf: ["a", "b"].map((k) => ({
          if: { properties: { k: { const: k } } },
          // oxlint-disable-next-line unicorn/no-thenable
          then: { required: [`of-${k}`] },
          else: { properties: { [`of-${k}`]: false } },
        })),
      }),
    ],
    [
      "propertyNames",
      object({ minProperties: 3, propertyNames: { pattern: "^[A-Z]{2}$" }, additionalProperties: text }),
    ],
    [
      "patternProperties",
      object({ minProperties: 2, patternProperties: { "^x-": text }, additionalProperties: false }),
    ],
    ["unevaluatedProperties", object({ allOf: [{ properties: { a: text } }], unevaluatedProperties: false })],
    ["not", { not: { type: "string" } }],
    ["not of a field", object({ properties: { a: text, b: text }, not: { required: ["a"] } })],
    ["not of numbers", { type: "integer", not: { enum: [1, 0, 2] } }],
    ["multipleOf", { type: "number", multipleOf: 0.01, exclusiveMinimum: 19.98, maximum: 20 }],
    ["oneOf with common members", { oneOf: [{ type: "integer" }, { type: "number" }] }],
    [
      "oneOf of required",
      object({ properties: { a: text, b: text }, oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
    ],
    [
      "two oneOfs",
      { allOf: [{ oneOf: [text, { type: "integer" }] }, { oneOf: [{ type: "integer" }, { type: "null" }] }] },
    ],
    ["a lookahead", { type: "string", pattern: "^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$" }],
    ["null", { type: "null" }],
  ])("%s", async (_, schema) => {
    expect(await made(schema)).toMatchObject({ status: 200 });
    expect(await made(schema, {}, "dynamic=true, seed=1")).toMatchObject({ status: 200 });
  });

  test("or refused with the place where none is found", async () => {
    const { status, body } = await made({ type: "object", required: ["a"], properties: { a: { ...text, not: text } } });
    expect([status, (body as { message: string }).message]).toEqual([
      500,
      'No valid value was found for the response 200 of "getIt": /a must NOT be valid. Add an example.',
    ]);
  });
});

describe("a made value names its schema in the discriminator", () => {
  const Base = {
    type: "object",
    required: ["kind"],
    properties: { kind: text },
    discriminator: { propertyName: "kind", mapping: { kitty: "#/components/schemas/Cat" } },
  };
  const schemas = {
    Base,
    Cat: { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { lives: { const: 9 } } }] },
    One: { type: "object", properties: { version: { type: "integer" }, type: text } },
  };
  const choice = (discriminator: object) => ({ oneOf: [{ $ref: "#/components/schemas/One" }], discriminator });
  test.each<[string, object, unknown]>([
    ["of its parent", { $ref: "#/components/schemas/Cat" }, { kind: "kitty", lives: 9 }],
    ["of a child", { $ref: "#/components/schemas/Base" }, { kind: "kitty" }],
    [
      "that is an integer",
      choice({ propertyName: "version", mapping: { 1: "#/components/schemas/One" } }),
      { version: 1, type: "x" },
    ],
    ["without a mapping", choice({ propertyName: "type" }), { version: 1, type: "One" }],
  ])("%s", async (_, schema, body) => {
    expect(await made(schema, schemas)).toEqual({ status: 200, body });
  });
});

describe("Accept chooses among the media types of a response", () => {
  const content = {
    "application/vnd.api+json": { example: { data: [] } },
    "text/csv": { example: "a,b" },
  };
  test.each([
    ["text/csv", 200, "text/csv"],
    ["text/csv;charset=utf-8", 200, "text/csv"], // as the service does
    ["text/*, application/vnd.api+json;q=0.5", 200, "text/csv"],
    ["text/csv;q=0.1, application/*", 200, "application/vnd.api+json"],
    ["*/*", 200, "application/vnd.api+json"],
    ["image/png", 406, "application/json"],
  ])("%s", async (accept, status, contentType) => {
    const { request } = await serve({ document: documentOf({ 200: { description: "", content } }) });
    const response = await request("/it", { headers: { Accept: accept } });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([status, contentType]);
  });
});

test("an invalid request gets the declared 422 with the fault", async () => {
  const loc = { type: "array", items: { anyOf: [text, { type: "integer" }] } };
  const fault = { type: "object", required: ["loc", "msg", "type"], properties: { loc, msg: text, type: text } };
  const error = responseOf({ type: "object", properties: { detail: { type: "array", items: fault } } });
  const parameters = [{ name: "skip", in: "query", schema: { type: "integer" } }];
  const { request } = await serve({ document: documentOf({ 200: responseOf({}), 422: error }, {}, { parameters }) });
  const response = await request("/it?skip=x");
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { detail: [{ loc: ["query", "skip"], type: "type" }] },
  ]);
  expect(await (await request("/nope")).json()).toMatchObject({ detail: [{ loc: [] }] });
});

describe("a document cannot hang the mock", () => {
  test.each<[name: string, schema: Schema]>([
    ["many items", { type: "array", minItems: 1e8 }],
    ["many items in items", { type: "array", minItems: 5e3, items: { type: "array", minItems: 5e3 } }],
    ["a long text", { type: "string", minLength: 1e9 }],
    ["many fields", { type: "object", minProperties: 1e7 }],
    ["a small step", { type: "number", multipleOf: 1e-300 }],
    ["a large pattern", { type: "string", pattern: "^((((a{1,50}){1,50}){1,50}){1,50})$" }],
    ["a pattern that backtracks", { type: "string", pattern: "^(a|a)*$", example: `${"a".repeat(40)}!` }],
    ["required fields without end", { $ref: "#/components/schemas/Endless" }],
    ["a choice of itself", { $ref: "#/components/schemas/Self" }],
    ["many listed values", { enum: Array.from({ length: 1e5 }, (_, index) => `v${index}`) }],
  ])("%s", async (_, schema) => {
    const Endless = { type: "object", required: ["a"], properties: { a: { $ref: "#/components/schemas/Endless" } } };
    const Self = { oneOf: [text, { $ref: "#/components/schemas/Self" }] };
    const before = process.threadCpuUsage(); // other processes do not change it
    expect([200, 500]).toContain((await made(schema, { Endless, Self })).status);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_500);
  });

  test("a costly pattern is not checked, and what is made matches it", async () => {
    const lines: string[] = [];
    const document = documentOf({ 200: responseOf({ type: "string", pattern: "^(a|a)*$", minLength: 3 }) });
    const { request } = await serve({ document, log: (line) => lines.push(line) });
    expect(await (await request("/it")).json()).toBe("aaa");
    expect(lines[0]).toBe("The pattern ^(a|a)*$ backtracks too long, so the mock does not check it.");
  });

  test("references that double on each level are refused", async () => {
    const ref = (level: number) => ({ $ref: `#/components/schemas/L${level}` });
    const levels = Array.from({ length: 40 }, (_, level) => [`L${level}`, { anyOf: [ref(level + 1), ref(level + 1)] }]);
    const document = documentOf({ 200: responseOf(ref(0)) }, { ...Object.fromEntries(levels), L40: text });
    await expect(serve({ document })).rejects.toThrow("More than 100000 schemas apply to one value");
  });
});

test("a required field is sent that the schema does not describe", async () => {
  const schema = { type: "object", required: ["id"], properties: { name: text } };
  expect(await made(schema)).toEqual({ status: 200, body: { id: "x", name: "x" } });
});

test("fields may have the names that all objects inherit", async () => {
  const properties = { constructor: { type: "integer" }, hasOwnProperty: text };
  const schema = { type: "object", required: ["toString"], properties: { ...properties, toString: text } };
  expect(await made(schema)).toEqual({
    status: 200,
    body: { constructor: 1, hasOwnProperty: "x", toString: "x" },
  });
});

const BOOK = {
  type: "object",
  required: ["id", "title"],
  properties: {
    id: { type: "string", format: "uuid" },
    title: { type: "string", minLength: 3, maxLength: 12 },
    isbn: { type: "string", pattern: "^[0-9]{13}$" },
    pages: { type: "integer", minimum: 10, maximum: 12 },
    weight: { type: "number", format: "int32" },
    genre: { enum: ["novel", "play"] },
    published: { type: "string", format: "date" },
    tags: { type: "array", minItems: 2, maxItems: 4, uniqueItems: true, items: { type: "string" } },
    sequel: { $ref: "#/components/schemas/Book" },
  },
};
const DOCUMENT = {
  openapi: "3.1.1",
  paths: {
    "/books/{bookId}": {
      get: {
        operationId: "getBook",
        parameters: [{ name: "bookId", in: "path", required: true, schema: { type: "string" } }],
        responses: {
          200: {
            description: "",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Book" } } },
          },
        },
      },
    },
  },
  components: { schemas: { Book: BOOK } },
};

describe("Prefer: dynamic=true", () => {
  test("makes a valid body from the schema, the same for the same seed", async () => {
    const { request } = await serve({ document: DOCUMENT });
    const ask = async (preference: string) => {
      const response = await request("/books/1", { headers: { Prefer: preference } });
      expect(response.status).toBe(200); // the mock checks its responses
      return { applied: response.headers.get("Preference-Applied"), body: (await response.json()) as object };
    };
    const first = await ask("dynamic=true, seed=5");
    expect(first.applied).toBe("dynamic=true, seed=5");
    expect(await ask("dynamic=true, seed=5")).toEqual(first);
    expect((await ask("dynamic=true, seed=6")).body).not.toEqual(first.body);
    for (let seed = 0; seed < 50; seed++) await ask(`dynamic=true, seed=${seed}`);
  });

  test("without a seed differs from request to request", async () => {
    const { request } = await serve({ document: DOCUMENT });
    const ask = async () => (await request("/books/1", { headers: { Prefer: "dynamic=true" } })).text();
    expect(await ask()).not.toBe(await ask());
  });
});

test.each<[string, Schema, unknown]>([
  ["a constant", { const: 3 }, 3],
  ["one of an enum", { enum: ["a"] }, "a"],
  ["a member of oneOf", { oneOf: [{ const: "x" }] }, "x"],
  ["no number between the bounds but this", { type: "integer", minimum: 4, maximum: 4 }, 4],
  ["an example for a pattern", { type: "string", pattern: "^x$", example: "x" }, "x"],
])("%s", async (_, schema, value) => {
  expect(await validValue(DOCUMENT, schema, "it", { random: randomNumbers(1) })).toBe(value);
});
