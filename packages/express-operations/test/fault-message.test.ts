import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenApiDocument, operationsOf, type ParameterObject } from "openapi-document";
import { type Fault, faultsOf } from "../src/eov/eov.ts";
import { implement } from "../src/index.ts";
import { problemOfFaults } from "../src/request/fault-message.ts";
import { buildValidators } from "../src/eov/validator.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

const STATUS = { type: "string", enum: ["available", "pending", "sold"] };
const oneOfThree = "must be one of: available, pending, sold.";
const kind = (name: string) => ({ type: "object", required: ["k"], properties: { k: { const: name } } });

const closed = (properties: object, required: string[] = []) => {
  return { type: "object", properties, required, additionalProperties: false };
};
const PAYMENT = {
  oneOf: [
    closed({ card: { type: "string", minLength: 12 } }, ["card"]),
    closed({ iban: { type: "string" }, bic: { type: "integer" } }, ["iban"]),
  ],
};
const VERSIONED = {
  oneOf: ["cat", "dog"].flatMap((name) =>
    [1, 2].map((v) => ({
      type: "object",
      required: ["text", "v", "kind"],
      properties: { kind: { const: name }, v: { enum: [v] }, text: { type: "string" } },
    })),
  ),
};
const mixed = 'must be an integer, null or "auto".';
const unknownField = 'Body field "c" is not known. The fields are: a, b.';
const SCHEMAS = {
  Base: { type: "object", properties: { "of base": {} } },
  Closed: closed({ "first name": {}, "tags[]": {} }),
  Place: { allOf: [{ $ref: "#/components/schemas/Address" }, { type: "object", required: ["street", "zip"] }] },
  Address: { type: "object", properties: { street: { type: "string" }, zip: { type: "string" } } },
};

const listed = Array.from({ length: 40 }, (_, at) => `word-${at + 10}`);

/** A schema, a body that violates it, and the expected message. */
const BODIES: [keyword: string, schema: object, value: unknown, message: string][] = [
  ["type", { type: "object" }, [], "must be an object."],
  ["type", { type: "array" }, {}, "must be an array."],
  ["type", { type: "string" }, 1, "must be a string."],
  ["type", { type: "integer" }, 1.5, "must be an integer."],
  ["type", { type: "number" }, "x", "must be a number."],
  ["type", { type: "boolean" }, "yes", "must be true or false."],
  ["type", { type: "string", format: "date" }, 1, "must be a string."],
  ["type", { type: ["string", "null"] }, 1, "must be a string or null."],
  ["type", STATUS, 1, oneOfThree],
  ["enum", STATUS, "lost", oneOfThree],
  ["enum", STATUS, "SOLD", `${oneOfThree} Upper and lower case matter.`],
  ["enum", { enum: ["two words", 1, null] }, 2, 'must be one of: "two words", 1, null.'],
  ["enum", { enum: ["", "a"] }, "x", 'must be one of: "", a.'],
  ["enum", { enum: listed }, "x", `must be one of: ${listed.slice(0, 22).join(", ")} and 18 more.`],
  ["const", { const: "yes" }, "no", 'must be "yes".'],
  ["enum", { enum: ["1", 1, "two"] }, 2, 'must be one of: "1", 1, "two".'],
  ["minimum", { type: "integer", minimum: 1 }, 0, "must be at least 1."],
  ["maximum", { type: "integer", maximum: 9 }, 10, "must be at most 9."],
  ["maximum", { type: "integer", minimum: 1, maximum: 9 }, 10, "must be from 1 to 9."],
  ["exclusiveMinimum", { type: "number", exclusiveMinimum: 0 }, 0, "must be more than 0."],
  ["exclusiveMaximum", { type: "number", exclusiveMaximum: 1, minimum: 0 }, 1, "must be less than 1."],
  ["multipleOf", { type: "integer", multipleOf: 5 }, 4, "must be a multiple of 5."],
  ["minLength", { type: "string", minLength: 1 }, "", "must have at least 1 character."],
  ["maxLength", { type: "string", maxLength: 2 }, "abc", "must have at most 2 characters."],
  ["maxLength", { type: "string", minLength: 1, maxLength: 2 }, "abc", "must have from 1 to 2 characters."],
  ["maxLength", { type: "string", minLength: 2, maxLength: 2 }, "abc", "must have exactly 2 characters."],
  ["minItems", { type: "array", minItems: 1 }, [], "must have at least 1 item."],
  ["maxItems", { type: "array", maxItems: 1 }, [1, 2], "must have at most 1 item."],
  ["items", { type: "array", prefixItems: [{}], items: false, minItems: 1 }, [1, 2], "must have at most 1 item."],
  ["uniqueItems", { type: "array", uniqueItems: true, maxItems: 9 }, [1, 1], "must not contain the same item twice."],
  [
    "contains",
    { type: "array", contains: { type: "string" } },
    [1],
    "must contain at least 1 item of the kind that the API description requires.",
  ],
  [
    "contains",
    { type: "array", contains: { type: "string" }, minContains: 0, maxContains: 1 },
    ["a", "b"],
    "must contain from 0 to 1 item of the kind that the API description requires.",
  ],
  ["minProperties", { type: "object", minProperties: 1 }, {}, "must have at least 1 field."],
  ["maxProperties", { type: "object", maxProperties: 1 }, { a: 1, b: 2 }, "must have at most 1 field."],
  [
    "propertyNames",
    { type: "object", propertyNames: { maxLength: 1 } },
    { ab: 1 },
    "has a field whose name must have at most 1 character.",
  ],
  ["required", { type: "object", required: ["a"] }, {}, 'Body field "a" is required.'],
  [
    "dependentRequired",
    { type: "object", dependentRequired: { a: ["b"] } },
    { a: 1 },
    'Body field "b" is required beside "a".',
  ],
  [
    "dependentSchemas",
    { type: "object", dependentSchemas: { a: { required: ["b"] } } },
    { a: 1 },
    'Body field "b" is required.',
  ],
  [
    "additionalProperties",
    { type: "object", properties: { a: {}, b: { readOnly: true } }, additionalProperties: false },
    { c: 1 },
    'Body field "c" is not known. The fields are: a.',
  ],
  [
    "additionalProperties",
    { type: "object", properties: { a: {} }, additionalProperties: false },
    { "<script>": 1 },
    "A field in the request body is not known. The fields are: a.",
  ],
  [
    "unevaluatedProperties",
    { type: "object", allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    { c: 1 },
    'Body field "c" is not known. The fields are: a.',
  ],
  [
    "unevaluatedProperties",
    {
      type: "object",
      allOf: [{ $ref: "#/components/schemas/Base" }],
      oneOf: [{ properties: { b: {} } }, { required: ["z"], properties: { z: {} } }],
      if: { required: ["y"] },
      else: { properties: { y: {} } },
      not: { required: ["n"], properties: { n: {} } },
      properties: { own: {}, id: { readOnly: true } },
      unevaluatedProperties: false,
    },
    { c: 1 },
    'Body field "c" is not known. The fields are: y, "of base", b, z, own.',
  ],
  [
    "additionalProperties",
    { $ref: "#/components/schemas/Closed" },
    { c: 1 },
    'Body field "c" is not known. The fields are: "first name", tags[].',
  ],
  ["unevaluatedItems", { type: "array", unevaluatedItems: false }, [1], "must have at most 0 items."],
  ["not", { not: { type: "string" } }, "x", "has a value that the API description excludes."],
  [
    "not",
    { not: { const: "x" }, description: "Any but x. And more." },
    "x",
    "has a value that the API description excludes: Any but x.",
  ],
  ["anyOf", { anyOf: [{ type: "integer" }, { type: "null" }] }, "x", "must be an integer or null."],
  ["anyOf", { anyOf: [{ const: "a" }, { enum: ["b", "c"] }] }, "x", "must be one of: a, b, c."],
  [
    "anyOf",
    { anyOf: [{ type: "integer" }, { enum: ["auto", "off"] }] },
    "x",
    "must be an integer or one of: auto, off.",
  ],
  ["anyOf", { anyOf: [{ anyOf: [{ type: "integer" }, { const: "auto" }] }, { type: "null" }] }, [], mixed],
  [
    "oneOf",
    {
      oneOf: [
        { type: "string", const: "a" },
        { type: "string", enum: ["b"] },
      ],
    },
    5,
    "must be one of: a, b.",
  ],
  ["oneOf", { oneOf: [{ const: 1 }, { const: "1" }] }, true, 'must be one of: 1, "1".'],
  [
    "anyOf",
    { anyOf: [{ type: "object", allOf: [{ type: "object" }] }, { type: "null" }] },
    5,
    "must be an object or null.",
  ],
  ["oneOf", { oneOf: [{ enum: ["a"] }, { enum: ["b", "c"] }] }, "x", "must be one of: a, b, c."],
  ["anyOf", { anyOf: [false, { type: "integer" }] }, "x", "must be an integer."],
  ["oneOf", { oneOf: [false, false] }, {}, "must have one of the forms that the API description gives."],
  ["oneOf", { oneOf: [{ type: "string" }, { type: "object", required: ["z"] }] }, {}, 'Body field "z" is required.'],
  ["oneOf", { oneOf: [kind("a"), kind("b")] }, { k: "c" }, 'Body field "k" must be one of: a, b.'],
  ["oneOf", { oneOf: [kind("a"), kind("b")] }, {}, 'Body field "k" is required.'],
  ["oneOf", PAYMENT, { iban: 1 }, 'Body field "iban" must be a string.'],
  ["oneOf", PAYMENT, { card: "123" }, 'Body field "card" must have at least 12 characters.'],
  ["oneOf", PAYMENT, { iban: "x", ibn: 1 }, 'Body field "ibn" is not known. The fields are: iban, bic.'],
  ["oneOf", PAYMENT, {}, "must have one of the fields: card, iban."],
  ["anyOf", { anyOf: [closed({ a: {} }), closed({ b: {} })] }, { c: 1 }, unknownField],
  [
    "oneOf",
    { type: "array", items: PAYMENT },
    [{ card: "123456789012" }, { bic: 1 }],
    'Body field "1.iban" is required.',
  ],
  ["oneOf", { oneOf: [PAYMENT, { type: "null" }] }, { iban: 1 }, 'Body field "iban" must be a string.'],
  [
    "oneOf",
    { oneOf: [{ $ref: "#/components/schemas/Place" }, PAYMENT] },
    { street: "s", zip: 5 },
    'Body field "zip" must be a string.',
  ],
  ["oneOf", VERSIONED, { kind: "cat", v: 2, text: 1 }, 'Body field "text" must be a string.'],
  ["oneOf", VERSIONED, { kind: "cat", v: 3 }, 'Body field "v" must be one of: 1, 2.'],
  ["oneOf", VERSIONED, { v: 2 }, 'Body field "kind" is required.'],
  [
    "oneOf",
    { oneOf: [{ type: "number" }, { type: "integer" }] },
    1,
    "must match only one of the forms in the API description, but matches several.",
  ],
  [
    "oneOf",
    { oneOf: [{ type: "number" }, { type: "integer" }, { type: "string" }] },
    1,
    "must match only one of the forms in the API description, but matches several.",
  ],
  ["if", { if: { type: "integer" }, else: { minLength: 3 } }, "x", "must have at least 3 characters."],
  [
    "readOnly",
    { type: "object", properties: { id: { type: "integer", readOnly: true } } },
    { id: 1 },
    'Body field "id" is set by the service alone. Leave it out.',
  ],
  ["pattern", { type: "string", pattern: "^[a-z0-9-]+$" }, "A", "may contain only letters a-z, digits and -."],
  [
    "pattern",
    { type: "string", pattern: "^[\\w.]*$" },
    "!",
    "may contain only letters a-z, letters A-Z, digits, _ and ..",
  ],
  ["pattern", { type: "string", pattern: "^[\\x21-\\x7e]+$" }, "\n", "may contain only visible ASCII characters."],
  [
    "pattern",
    { type: "string", pattern: "^[A-Z]{3}$" },
    "eu",
    "must have exactly 3 characters and may contain only letters A-Z.",
  ],
  [
    "pattern",
    { type: "string", pattern: "^[0-9]{2,4}$" },
    "1",
    "must have from 2 to 4 characters and may contain only digits.",
  ],
  [
    "pattern",
    { type: "string", pattern: "^[0-9]{2,}$" },
    "1",
    "must have at least 2 characters and may contain only digits.",
  ],
  [
    "pattern",
    { type: "string", pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
    "\0",
    "must not contain control characters.",
  ],
  [
    "pattern",
    { type: "string", pattern: "^[^\\p{Cc}\\p{Cs}]*$" },
    "\0",
    "must not contain control characters or lone surrogates.",
  ],
  ["pattern", { type: "string", pattern: "^[a-z]+$" }, "", "must not be empty."],
  ["pattern", { type: "string", pattern: "^(a|b)+$" }, "c", "must have the form that the API description gives."],
  ["pattern", { type: "string", pattern: "^[à-ý]+$" }, "c", "must have the form that the API description gives."],
  [
    "pattern",
    { type: "string", pattern: "^(a|b)+$", description: "Letters a and b, in any order. No other" },
    "c",
    "must have the form that the API description gives: Letters a and b, in any order.",
  ],
  ["format", { type: "string", format: "date" }, "31.1.2026", "must be a date, such as 2026-01-31."],
  ["format", { type: "string", format: "uuid" }, "x", "must be a UUID, such as 8f3f6f0e-5d0c-4a53-9f0a-0a8f3c1c7f8e."],
  ["format", { type: "string", format: "email" }, "x", "must be an e-mail address."],
];

/** Keywords that report no fault of their own; their subschemas report them. */
const SILENT =
  /^(\$.*|allOf|definitions|dependencies|dependentSchemas|discriminator|else|then|id|nullable|patternProperties|prefixItems|properties|maxContains|minContains|additionalItems|formatM.*|formatE.*)$/;

describe("a body that violates its schema", () => {
  let server: Awaited<ReturnType<typeof serveEcho>>;
  beforeAll(async () => {
    const paths = BODIES.map(([, schema], at) => {
      const requestBody = { required: true, content: { "application/json": { schema } } };
      return [`/${at}`, { post: { operationId: `o${at}`, requestBody, responses: anyJson } }];
    });
    server = await serveEcho(Object.fromEntries(paths) as object, { components: { schemas: SCHEMAS } });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(BODIES.map(([keyword, schema, value, message], at) => ({ at, keyword, schema, value, message })))(
    "$keyword of $schema: $message",
    async ({ at, value, message }) => {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(`${server.baseUrl}/${at}`, { method: "POST", headers, body: JSON.stringify(value) });
      const refusal = await response.json();
      const whole = /^[a-z]/.test(message) ? `The request body ${message}` : message;
      expect(refusal).toEqual({ code: "invalid_request", status: 400, message: whole });
    },
  );

  test("every keyword that ajv validates is in this list", () => {
    const require = createRequire(createRequire(import.meta.url).resolve("express-openapi-validator"));
    const { default: Ajv } = require("ajv/dist/2020") as { default: new () => { RULES: { all: object } } };
    const tested = new Set(BODIES.map(([keyword]) => keyword));
    const untested = Object.keys(new Ajv().RULES.all).filter(
      (keyword) => !tested.has(keyword) && !SILENT.test(keyword),
    );
    expect(untested).toEqual([]);
  });
});

describe("the message for an invalid parameter", () => {
  const query = (name: string, schema: object, more: object = {}) => ({ in: "query", name, schema, ...more });
  const parameters = [
    query("limit", { type: "integer", minimum: 1, maximum: 100 }),
    query("status", STATUS),
    query("tags", { type: "array", items: STATUS }),
    query(
      "f",
      { type: "object", properties: { min: { type: "integer", minimum: 3 } } },
      { style: "deepObject", explode: true },
    ),
    query("word", { type: "string", pattern: "^(a|b)$" }, { description: "A word of one letter: a or b." }),
    query("text", { type: "string" }),
    query("ratio", { type: "string", enum: ["1:1", "4:3"] }),
    { in: "header", name: "X-Count", schema: { type: "integer", maximum: 5 } },
    { in: "cookie", name: "Size", schema: { type: "integer", maximum: 5 } },
  ];
  let server: Awaited<ReturnType<typeof serveEcho>>;
  beforeAll(async () => {
    server = await serveEcho({ "/x": { get: { operationId: "x", parameters, responses: anyJson } } });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const status = `Query parameter "status" ${oneOfThree}`;
  test.each([
    ["status=available,sold", `${status} Only one may be given.`],
    ["status=available%2Csold", `${status} Only one may be given.`],
    ["status=Available", `${status} Upper and lower case matter.`],
    ["status=lost", status],
    ["status=", 'Query parameter "status" is empty. Give it a value, or leave it out.'],
    ["status=sold&status=sold", 'Query parameter "status" must be given only once.'],
    ["limit=ten&limit=1", 'Query parameter "limit" must be given only once.'],
    ["status[]=sold", 'Query parameter "status" does not take these brackets. Write its name alone.'],
    [
      "stauts=sold",
      'Query parameter "stauts" is not known. The parameters are: limit, status, tags, f, word, text, ratio.',
    ],
    [
      "tags=available,sold",
      `Item 1 of query parameter "tags" ${oneOfThree} Repeat the parameter for each of several values.`,
    ],
    ["tags=sold&tags=lost", `Item 2 of query parameter "tags" ${oneOfThree}`],
    [
      "tags=available,sold&tags=a:b",
      `Item 1 of query parameter "tags" ${oneOfThree} Repeat the parameter for each of several values.`,
    ],
    ["ratio=1:2", 'Query parameter "ratio" must be one of: "1:1", "4:3".'],
    ["limit=101", 'Query parameter "limit" must be from 1 to 100.'],
    ["limit=ten", 'Query parameter "limit" must be an integer in plain decimal digits, such as 10.'],
    ["f[min]=1", 'Field "min" of query parameter "f" must be at least 3.'],
    [
      "word=c",
      'Query parameter "word" must have the form that the API description gives: A word of one letter: a or b.',
    ],
    ["text=%", "The query is not valid percent-encoding. Write a percent sign itself as %25."],
  ])("?%s", async (search, message) => {
    const response = await fetch(`${server.baseUrl}/x?${search}`);
    expect(await response.json()).toEqual({ code: "invalid_request", status: 400, message });
  });

  test.each([
    [{ "X-Count": "6" }, 'Header "X-Count" must be at most 5.'],
    [{ Cookie: "Size=6" }, 'Cookie "Size" must be at most 5.'],
  ])("%o", async (headers, message) => {
    const response = await fetch(`${server.baseUrl}/x`, { headers: headers as Record<string, string> });
    expect(await response.json()).toMatchObject({ status: 400, message });
  });
});

test("a message is short, even for long lists, long descriptions and deep faults", async () => {
  const node = { type: "object", properties: {} as object, additionalProperties: false };
  node.properties = {
    ...Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field_with_a_long_name_${at}`, {}])),
    child: { $ref: "#/components/schemas/Node" },
    long: { enum: Array.from({ length: 5_000 }, (_, at) => `value ${at}`) },
    huge: { const: "x".repeat(5_000) },
    described: { type: "string", pattern: "^(a|b)$", description: "word ".repeat(5_000) },
  };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Node" } } };
  await using server = await serveEcho(
    { "/x": { post: { operationId: "x", requestBody: { required: true, content }, responses: anyJson } } },
    { components: { schemas: { Node: node } } },
  );
  for (const wrong of [{ long: 1 }, { huge: 1 }, { described: "c" }, { unknown: 1 }]) {
    let body: object = wrong;
    for (let depth = 0; depth < 90; depth++) body = { child: body };
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", headers, body: JSON.stringify(body) });
    const { message } = (await response.json()) as { message: string };
    expect(response.status).toBe(400);
    expect(message.length).toBeLessThan(600);
    expect(message).toMatch(/^A field in body field "child\.child/);
  }
});

describe("a message names", () => {
  const integer = { type: "integer" };
  const query = (name: string, schema: object = integer, more: object = {}) => ({ in: "query", name, schema, ...more });
  const f = { type: "object", properties: { "0": integer, "x y": integer }, additionalProperties: integer };
  const parameters = [
    query("page[limit]"),
    query("filter[name]", { type: "string", enum: ["a"] }),
    query('a "b"/~é'),
    query("n".repeat(100)),
    query("n".repeat(121)),
    query("f", f, { style: "deepObject", explode: true }),
    { in: "header", name: "X-Odd!~Name", schema: integer },
    { in: "cookie", name: "prefs[theme]", schema: integer },
  ];
  const list = { type: "array", items: closed({ "x y": integer }, ["x y"]) };
  const odd = { type: "object", properties: { "c/d~e": integer, 'q"': integer, "0": integer, "naïve name": list } };
  const schema = {
    type: "object",
    properties: { "": integer, "a.b": odd, "page[limit]": integer, "first name": integer, toString: integer },
    patternProperties: { "^x-": integer },
    additionalProperties: false,
  };
  const content = { "application/json": { schema }, "application/x-www-form-urlencoded": { schema } };
  let server: Awaited<ReturnType<typeof serveEcho>>;
  beforeAll(async () => {
    const document = {
      openapi: "3.1.0",
      paths: {
        "/x": {
          get: { operationId: "get", parameters, responses: anyJson },
          post: { operationId: "post", requestBody: { required: true, content }, responses: anyJson },
        },
      },
    } as unknown as OpenApiDocument;
    const handlers = { get: () => ({ status: 200, body: 1 }), post: () => ({ status: 200, body: 1 }) } as never;
    server = await listen(implement()({ document, handlers, problemFormat: "problem+json" }));
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const faultOf = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(`${server.baseUrl}/x${url}`, init);
    const { errors } = (await response.json()) as { errors: { detail: string; parameter?: string; pointer: string }[] };
    return [errors[0]!.detail.split(" must ")[0]!.split(" is ")[0], errors[0]!.parameter, errors[0]!.pointer];
  };

  test.each<[url: string, headers: Record<string, string>, said: string, parameter?: string, pointer?: string]>([
    ["?page[limit]=x", {}, 'Query parameter "page[limit]"', "page[limit]"],
    [`?${encodeURIComponent("page[limit]")}=`, {}, 'Query parameter "page[limit]"', "page[limit]"],
    ["?page[size]=1", {}, 'Query parameter "page[size]"', "page[size]"],
    ["?filter[name]=z", {}, 'Query parameter "filter[name]"', "filter[name]"],
    [`?a%20%22b%22/~%C3%A9=x`, {}, String.raw`Query parameter "a \"b\"/~é"`, 'a "b"/~é'],
    [`?${"n".repeat(100)}=x`, {}, `Query parameter "${"n".repeat(100)}"`, "n".repeat(100)],
    [`?${"n".repeat(121)}=x`, {}, "A query parameter", "n".repeat(121)],
    ["?f[0]=x", {}, 'Field "0" of query parameter "f"', "f", "/0"],
    ["?f[x%20y]=x", {}, 'Field "x y" of query parameter "f"', "f", "/x y"],
    ["?f[my%20key]=x", {}, 'A field of query parameter "f"', "f"],
    ["", { "X-Odd!~Name": "x" }, 'Header "X-Odd!~Name"', "X-Odd!~Name"],
    ["", { Cookie: "prefs[theme]=x" }, 'Cookie "prefs[theme]"', "prefs[theme]"],
    ["?my%20key=1", {}, "A query parameter"],
    ["?%3Cscript%3E=1", {}, "A query parameter"],
  ])("a declared parameter, whatever its name: %s %j", async (url, headers, said, parameter, pointer = "") => {
    expect(await faultOf(url, { headers })).toEqual([said, parameter, pointer]);
  });

  test.each<[body: object | string, said: string, pointer: string]>([
    [{ "a.b": { "c/d~e": "x" } }, 'Body field "a.b.c/d~e"', "/a.b/c~1d~0e"],
    [{ "a.b": { 'q"': "x" } }, String.raw`Body field "a.b.q\""`, '/a.b/q"'],
    [{ "a.b": { "0": "x" } }, 'Body field "a.b.0"', "/a.b/0"],
    [{ "a.b": { "naïve name": [{}] } }, 'Body field "a.b.naïve name.0.x y"', "/a.b/naïve name/0/x y"],
    [
      { "a.b": { "naïve name": [{ "x y": 1, "my key": 1 }] } },
      'A field in body field "a.b.naïve name.0"',
      "/a.b/naïve name/0",
    ],
    [{ "page[limit]": "x" }, 'Body field "page[limit]"', "/page[limit]"],
    [{ toString: "x" }, 'Body field "toString"', "/toString"],
    [{ "": "x" }, 'Body field ""', "/"],
    [{ "x-my key": "x" }, "A field in the request body", ""],
    [{ "x-[a]": "x" }, 'Body field "x-[a]"', "/x-[a]"],
    ["first+name=x", 'Body field "first name"', "/first name"],
    ["page[limit]=x", 'Body field "page[limit]"', "/page[limit]"],
  ])("a declared field, whatever its name: %j", async (body, said, pointer) => {
    const isForm = typeof body === "string";
    const headers = { "Content-Type": isForm ? "application/x-www-form-urlencoded" : "application/json" };
    const init = { method: "POST", headers, body: isForm ? body : JSON.stringify(body) };
    expect(await faultOf("", init)).toEqual([said, undefined, pointer]);
  });
});

describe("the cost of a message is bounded for", () => {
  const range = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at));
  const large = Object.fromEntries(range(5_000, (at) => [`field${at}`, at]));
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const named = (at: number) => ({
    type: "object",
    required: [`x${at}`],
    properties: { [`x${at}`]: { type: "string" }, field1: { type: "string" } },
  });

  test.each<[title: string, schema: object, schemas: object, body: unknown, message: string]>([
    ["a choice of 1,000 members", { oneOf: range(1_000, named) }, {}, large, "must have one of the fields: x0, x1"],
    ["the last of them", { oneOf: range(1_000, named) }, {}, { x999: 1 }, 'Body field "x999" must be a string.'],
    [
      "choices of 27,000 members, one in the other",
      ref("A"),
      {
        A: { oneOf: range(30, () => ref("B")) },
        B: { oneOf: range(30, () => ref("C")) },
        C: { oneOf: range(30, named) },
      },
      large,
      "must have one of the forms",
    ],
    [
      "an unknown name deep in a choice that contains itself",
      ref("Node"),
      {
        Node: {
          type: "object",
          properties: { "a b": ref("Node") },
          anyOf: [{}, ...range(200, (at) => ({ properties: { [`x${at}`]: {} } }))],
          unevaluatedProperties: false,
        },
      },
      range(25, () => 0).reduce<object>((inner) => ({ "a b": inner }), { "? ?": 1 }),
      'A field in body field "a b.a b.a b.',
    ],
  ])("%s", async (_title, schema, schemas, body, message) => {
    const requestBody = { required: true, content: { "application/json": { schema } } };
    const document = {
      openapi: "3.1.0",
      paths: { "/": { post: { operationId: "x", requestBody, responses: {} } } },
      components: { schemas },
    } as unknown as OpenApiDocument;
    const [entry] = operationsOf(document);
    const { body: validate } = buildValidators(document, entry!).get("application/json")!;
    expect(validate({ query: {}, params: {}, headers: {}, cookies: {}, body })).toBe(false);
    const times = range(5, () => {
      const start = process.cpuUsage(); // which other processes do not change
      const problem = problemOfFaults(document, [], faultsOf(validate));
      const { user, system } = process.cpuUsage(start);
      expect(problem.message).toContain(message);
      expect(problem.message.length).toBeLessThan(600);
      return (user + system) / 1_000;
    });
    expect(Math.min(...times)).toBeLessThan(150); // milliseconds; some seconds without a bound
  });
});

describe("problemOfFaults", () => {
  const document = { openapi: "3.1.0", paths: {} } as OpenApiDocument;
  const parameters = [
    { in: "query", name: "f", schema: { type: "array" }, description: "Filters by kind." },
    { in: "header", name: "X-Id", schema: {} },
    { in: "path", name: "id", schema: {} },
    { in: "cookie", name: "Id", schema: {} },
    { in: "query", name: "Q", schema: {}, description: "Quotes a line." },
  ] as ParameterObject[];
  const fault = (keyword: string, location: Fault["location"], path: string[], more: Partial<Fault> = {}): Fault => ({
    keyword,
    location,
    path,
    params: {},
    schema: {},
    value: 1,
    ...more,
  });
  const pattern = { params: { pattern: "^(a|b)$" } };
  const type = (name: string, path: string[] = ["a"]) => fault("type", "body", path, { params: { type: name } });
  const one = (...values: string[]) => fault("enum", "body", ["a"], { params: { allowedValues: values } });
  const form = "must have the form that the API description gives";

  test.each<[faults: Fault[], message: string]>([
    [[], "The request does not match the API description."],
    [[fault("required", "query", ["f"])], 'Query parameter "f" is required.'],
    [[fault("required", "headers", ["x-id"])], 'Header "X-Id" is required.'],
    [[fault("required", "params", ["id"])], 'Path parameter "id" is required.'],
    [[fault("required", "cookies", ["Id"])], 'Cookie "Id" is required.'],
    [[fault("required", "headers", ["id"])], 'Header "id" is required.'],
    [[fault("required", "query", ["F"])], 'Query parameter "F" is required.'],
    [[fault("required", "query", ["a b"])], "A query parameter is required."],
    [[fault("pattern", "query", ["f"], pattern)], `Query parameter "f" ${form}: Filters by kind.`],
    [[fault("pattern", "query", ["Q"], pattern)], `Query parameter "Q" ${form}: Quotes a line.`],
    [[fault("pattern", "query", ["q"], pattern)], `Query parameter "q" ${form}.`],
    [[fault("pattern", "query", [], pattern)], `A query parameter ${form}.`],
    [[fault("pattern", "query", ["f", "0"], pattern)], `Item 1 of query parameter "f" ${form}.`],
    [[fault("pattern", "query", ["f", "9", "a"], pattern)], `Field "9.a" of query parameter "f" ${form}.`],
    [[fault("pattern", "query", ["f", ""], pattern)], `A field of query parameter "f" ${form}.`],
    [[fault("required", "query", ["cookie:id"])], "A query parameter is required."],
    [
      [type("string", ["a", "bc"]), type("null", ["ab", "c"]), fault("anyOf", "body", ["x"])],
      'Body field "x" must have one of the forms that the API description gives.',
    ],
    [
      [fault("minItems", "body", ["a"]), fault("minItems", "body", ["a"]), fault("anyOf", "body", ["a"])],
      'Body field "a" must have one of the forms that the API description gives.',
    ],
    [[fault("pattern", "query", ["f", "a1"], pattern)], `Field "a1" of query parameter "f" ${form}.`],
    [[fault("pattern", "query", ["f", "1a"], pattern)], `Field "1a" of query parameter "f" ${form}.`],
    [[fault("pattern", "query", ["f", "a b"], pattern)], `A field of query parameter "f" ${form}.`],
    [[fault("uniqueItems", "body", [])], "The request body must not contain the same item twice."],
    [[fault("uniqueItems", "body", ["a", "b"])], 'Body field "a.b" must not contain the same item twice.'],
    [
      [fault("uniqueItems", "body", ["a".repeat(32), "b".repeat(32), "c".repeat(32), "d".repeat(21)])],
      `Body field "${"a".repeat(32)}.${"b".repeat(32)}.${"c".repeat(32)}.${"d".repeat(21)}" must not contain the same item twice.`,
    ],
    [
      [fault("uniqueItems", "body", ["a".repeat(32), "b".repeat(32), "c".repeat(32), "d".repeat(23)])],
      `A field in body field "${"a".repeat(32)}.${"b".repeat(32)}.${"c".repeat(32)}" must not contain the same item twice.`,
    ],
    [[fault("uniqueItems", "body", ["a b"])], "A field in the request body must not contain the same item twice."],
    [[fault("uniqueItems", "body", ["a", "b c"])], 'A field in body field "a" must not contain the same item twice.'],
    [[fault("other", "body", ["a"])], 'Body field "a" does not match the API description.'],
    [[type("string"), type("null"), fault("anyOf", "body", ["a"])], 'Body field "a" must be a string or null.'],
    [[type("string"), type("array", ["b"]), fault("anyOf", "body", ["a"])], 'Body field "b" must be an array.'],
    [
      [one("a"), one("a", "b"), fault("oneOf", "body", ["a"], { params: { passingSchemas: null } })],
      'Body field "a" must be one of: a, b.',
    ],
    [
      [
        fault("const", "body", ["a"], { params: { allowedValue: "x" } }),
        fault("const", "body", ["a"], { params: { allowedValue: "y" } }),
        fault("anyOf", "body", ["a"]),
      ],
      'Body field "a" must be one of: x, y.',
    ],
    [
      [type("string"), fault("required", "body", ["a", "b"]), fault("anyOf", "body", ["a"])],
      'Body field "a.b" is required.',
    ],
    [
      [fault("required", "body", ["a", "b"]), fault("minItems", "body", ["a"]), fault("anyOf", "body", ["a"])],
      'Body field "a" must have one of the forms that the API description gives.',
    ],
    [[fault("anyOf", "body", [])], "The request body must have one of the forms that the API description gives."],
    [[fault("propertyNames", "body", ["a"])], 'Body field "a" does not match the API description.'],
    [[fault("required", "query", ["f"]), fault("uniqueItems", "body", ["a"])], 'Query parameter "f" is required.'],
    [
      [fault("dependentRequired", "body", ["a"], { params: { property: "b c" } })],
      'Body field "a" is required beside "b c".',
    ],
    [[fault("dependencies", "body", ["a"], { params: { property: "b" } })], 'Body field "a" is required beside "b".'],
    [[fault("items", "body", ["a"], { params: {} })], 'Body field "a" must have at most 0 items.'],
    [[fault("items", "body", ["a"], { params: { len: 1, limit: 7 } })], 'Body field "a" must have at most 1 item.'],
    [[fault("items", "body", ["a"], { params: { limit: 7 } })], 'Body field "a" must have at most 7 items.'],
    ...Object.entries({
      time: "a time with its offset from UTC, such as 12:00:00Z",
      duration: "a duration, such as P1DT2H",
      hostname: "a host name",
      ipv4: "an IPv4 address, such as 192.0.2.1",
      ipv6: "an IPv6 address, such as 2001:db8::1",
      uri: "a URI with its scheme, such as https://example.com/a",
      "uri-reference": "a URI or a reference to one, such as /a/b",
      "uri-template": "a URI template, such as /a/{b}",
      regex: "a regular expression",
      "json-pointer": "a JSON Pointer, such as /a/0",
      byte: "Base64",
      int32: "an integer from -2147483648 to 2147483647",
      float: "a number",
      double: "a number",
    }).map(([format, words]): [Fault[], string] => {
      return [[fault("format", "body", ["a"], { params: { format } })], `Body field "a" must be ${words}.`];
    }),
    [[fault("format", "body", ["a"], { params: { format: "isbn" } })], 'Body field "a" must be a valid isbn.'],
    [[fault("format", "body", ["a"], { params: { format: "a <b>" } })], 'Body field "a" must be a valid value.'],
  ])("%j: %s", (faults, message) => {
    expect(problemOfFaults(document, parameters, faults).message).toBe(message);
  });
});
