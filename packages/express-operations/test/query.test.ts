import { describe, expect, test } from "vitest";
import { implement } from "../src/index.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

const query = (name: string, schema: object, more: object = {}) => ({ in: "query", name, schema, ...more });
const deep = { style: "deepObject", explode: true };
const text = { type: "string" };
const texts = { type: "array", items: text };

const size = { type: "object", properties: { min: { type: "integer" }, max: { type: "integer" } } };
const anything = { type: "object", additionalProperties: true };

/** Sends a query to an operation with these parameters. Returns the status and the query that the handler received. */
async function ask(parameters: object[], search: string, more: object = {}, document: object = {}) {
  const get = { operationId: "x", parameters, responses: anyJson, ...more };
  await using server = await serveEcho({ "/x": { get } }, document);
  const response = await fetch(`${server.baseUrl}/x?${search}`);
  const { query: got, message } = (await response.json()) as { query?: unknown; message?: string };
  return response.status === 200 ? got : `${response.status} ${message}`;
}

describe("undeclared names are rejected", () => {
  const notKnown = (name: string) => `400 Query parameter "${name}" is not known. The parameters are: a, list.`;

  test.each([
    ["other=1", notKnown("other")],
    ["a=1&other", notKnown("other")],
    ["A=1", notKnown("A")],
    ["other[b]=1", notKnown("other[b]")],
    ["a%5Bb%5D=1", '400 Query parameter "a" does not take these brackets. Write its name alone.'],
    [
      "list[k]=1",
      expect.stringMatching(/^400 Query parameter "list" does not take these brackets. Write its name once/),
    ],
    ["<b>[a]=1", "400 A query parameter is not known. The parameters are: a, list."],
    ["__proto__=1", notKnown("__proto__")],
    ["=1", "400 A query parameter is not known. The parameters are: a, list."],
    ["&&&", {}],
  ])("%s: %j", async (search, expected) => {
    const parameters = [query("a", text), query("list", texts, { explode: false })];
    expect(await ask(parameters, search)).toEqual(expected);
  });

  test("before the body is read", async () => {
    const requestBody = { content: { "application/json": { schema: {} } } };
    const post = { operationId: "x", requestBody, responses: anyJson };
    await using server = await serveEcho({ "/x": { post } });
    const response = await fetch(`${server.baseUrl}/x?other=1`, { method: "POST", body: "no JSON" });
    expect(response.status).toBe(400);
  });

  test("even if a security scheme reads them from a header", async () => {
    const securitySchemes = { key: { type: "apiKey", in: "header", name: "api_key" } };
    const answer = ask([], "api_key=good", { security: [{ key: [] }, {}] }, { components: { securitySchemes } });
    expect(await answer).toBe('400 Query parameter "api_key" is not known. This operation takes none.');
  });

  test("except API keys of security schemes", async () => {
    const components = { securitySchemes: { key: { type: "apiKey", in: "query", name: "api_key" } } };
    const security = { security: [{ key: [] }] };
    const sent = (count: number) => `${"a=1&".repeat(count)}api_key=good`;
    expect(await ask([query("a", texts)], sent(1), security, { components })).toEqual({ a: ["1"] });
    expect(await ask([query("a", texts)], sent(1_500), security, { components })).toEqual({
      a: Array.from({ length: 1_500 }, () => "1"),
    });
    expect(await ask([query("a", texts)], "api_key=good&api_key=good", security, { components })).toMatch(/^401 /);
    expect(await ask([query("a", texts)], "api_key=good")).toBe(
      '400 Query parameter "api_key" is not known. The parameters are: a.',
    );
  });

  test("except names that express-openapi-validator's extension allows", async () => {
    const extension = { "x-eov-allow-unknown-query-parameters": true };
    const parameters = [query("a", text), query("list", texts, { explode: false })];
    expect(await ask(parameters, "a=1&other=2", extension)).toEqual({ a: "1", other: "2" });
    const older = { "x-allow-unknown-query-parameters": true };
    expect(await ask(parameters, "a=1&other=2", older)).toEqual({ a: "1", other: "2" });
    expect(await ask(parameters, "a=1&other=2", { "x-allow-unknown-query-parameters": "yes" })).toMatch(/^400 /);
    expect(await ask(parameters, "tags[]=1&more[b]=2", extension)).toEqual({ tags: ["1"], more: { b: "2" } });
    for (const search of ["tags[]=1&tags[]=2", "tags[0]=1&tags[1]=2"])
      expect(await ask(parameters, search, extension)).toEqual({ tags: ["1", "2"] });
    const ofValidator = "_openapi[schema][parameters]=1"; // express-openapi-validator reads its own data there
    expect(await ask(parameters, ofValidator, extension)).toEqual({ _openapi: { schema: { parameters: "1" } } });
    expect(await ask(parameters, "list[k]=1", extension)).toMatch(/^400 .*"list" does not take these brackets/);
    expect(await ask(parameters, "tags=1&tags[]=2", extension)).toMatch(/^400 /);
  });

  test("undeclared names do not change the declared parameters of a handler", async () => {
    const get = {
      operationId: "x",
      parameters: [query("limit", { type: "integer" })],
      responses: anyJson,
      "x-eov-allow-unknown-query-parameters": true,
    };
    const paths = { "/x": { get } };
    const seen = (input: { query: Record<string, unknown> }) => {
      const { limit = "none" } = input.query;
      return { status: 200, body: { limit, isPlain: Object.getPrototypeOf(input.query) === Object.prototype } };
    };
    const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths };
    await using server = await listen(implement()({ document, handlers: { x: seen } as never }));
    for (const search of ["__proto__[limit]=evil", "__proto__=1", "__proto__[]=a"]) {
      const response = await fetch(`${server.baseUrl}/x?${search}`);
      expect([search, await response.json()]).toEqual([search, { limit: "none", isPlain: true }]);
    }
  });

  test("undeclared headers and cookies pass", async () => {
    await using server = await serveEcho({ "/x": { get: { operationId: "x", responses: anyJson } } });
    const headers = { "X-Other": "1", Cookie: "other=1" };
    expect((await fetch(`${server.baseUrl}/x`, { headers })).status).toBe(200);
  });
});

describe("objects in the query", () => {
  const both = '400 Query parameter "f" is given both as a whole and in parts. Give it once.';

  test.each([
    ["f[min]=1&f[max]=2", { f: { min: 1, max: 2 } }],
    ["f%5Bmin%5D=1", { f: { min: 1 } }],
    ["f[min]=x", '400 Field "min" of query parameter "f" must be an integer in plain decimal digits, such as 10.'],
    ["f[min]=1&f[min]=2", '400 Field "min" of query parameter "f" must be given only once.'],
    ["f[min]=1&f[min][a]=2", both],
    ["f[min][a]=1&f[min]=2", both],
    ['f={"min":1}&f[max]=2', both],
    [
      "f[]=1",
      '400 Query parameter "f" does not take these brackets. Write each of its fields as parameter[field]=value.',
    ],
    [
      "f[min=1",
      '400 Query parameter "f" does not take these brackets. Write each of its fields as parameter[field]=value.',
    ],
    ["f[][min]=1", expect.stringMatching(/^400 Query parameter "f" does not take these brackets\./)],
    ["f[min][][a]=1", expect.stringMatching(/^400 Query parameter "f" does not take these brackets\./)],
    ["f]min[=1", "400 A query parameter is not known. The parameters are: f."],
    [
      "f[min]x=1",
      '400 Query parameter "f" does not take these brackets. Write each of its fields as parameter[field]=value.',
    ],
    ["[min]=1", "400 A query parameter is not known. The parameters are: f."],
  ])("with declared fields in brackets: %s", async (search, expected) => {
    expect(await ask([query("f", size, deep)], search)).toEqual(expected);
  });

  test.each([
    ["f[a]=1&f[b]=2", { a: "1", b: "2" }],
    ["f[a][b][c]=1&f[a][b][d]=2", { a: { b: { c: "1", d: "2" } } }],
    ["f[a][]=1&f[a][]=2", { a: ["1", "2"] }],
    ["f[a][]=1", { a: ["1"] }],
    ["f[a]=1&f[a]=2", { a: ["1", "2"] }],
    ["f[a][0]=x&f[a][1]=y", { a: ["x", "y"] }],
    ["f[a][1]=y&f[a][0]=x", { a: ["x", "y"] }],
    ["f[a][1]=x&f[a][2]=y", { a: { 1: "x", 2: "y" } }],
    ["f[0]=x&f[1]=y", { 0: "x", 1: "y" }],
    ["f[a][0][k]=x&f[a][1][k]=y", { a: [{ k: "x" }, { k: "y" }] }],
    ["f[a]=%2525", { a: "%25" }],
    ["f[a]=x%26f[b]=y", { a: "x&f[b]=y" }],
  ])("with any fields in brackets: %s", async (search, f) => {
    expect(await ask([query("f", anything, deep)], search)).toEqual({ f });
  });

  test("numbers must have plain decimal digits at any depth", async () => {
    const nested = query("f", { type: "object", properties: { size, sizes: { type: "array", items: size } } }, deep);
    expect(await ask([nested], "f[size][min]=16&f[sizes][0][min]=1")).toEqual({
      f: { size: { min: 16 }, sizes: [{ min: 1 }] },
    });
    for (const search of ["f[size][min]=0x10", "f[sizes][0][min]=1e1"])
      expect(await ask([nested], search)).toMatch(/^400 .*plain decimal digits/);
    expect(await ask([query("f", { allOf: [size] }, deep)], "f[min]=0x10")).toMatch(/^400 .*plain decimal digits/);
    const fields = { any: { items: { type: "integer" } }, all: { type: "array", items: { type: "integer" } } };
    const mixed = query("f", { type: "object", properties: fields }, deep);
    expect(await ask([mixed], "f[any]=0x10&f[all][]=1")).toEqual({ f: { any: "0x10", all: [1] } });
    expect(await ask([mixed], "f[all][]=0x10")).toMatch(/^400 .*plain decimal digits/);
  });

  test("JSON is read by the same strict rules as a body, and only from one text", async () => {
    const f = query("f", anything, deep);
    expect(await ask([f], 'f={"a":1,"a":2}')).toBe('400 Query parameter "f" contains field "a" twice. Give it once.');
    expect(await ask([f], 'f={"a":1&f="a":2}')).toBe('400 Query parameter "f" must be given only once.');
  });

  test("an object instead of a list is not read as an item of the list", async () => {
    const either = query("f", { type: ["array", "object"], items: { type: "integer" } }, deep);
    expect(await ask([either], "f[a]=x")).toEqual({ f: { a: "x" } });
  });

  test("JSON for a list of integers is read by the same strict rules, before its items", async () => {
    const list = query("q", { type: "array", items: { type: "integer" }, anyOf: [{}] });
    const nested = `q=${"%5B".repeat(101)}${"%5D".repeat(101)}`;
    expect(await ask([list], nested)).toBe('400 Query parameter "q" nests deeper than the 100 levels allowed.');
    expect(await ask([list], "q=1&q=x")).toMatch(/^400 Item 2 of .*"q" must be an integer/);
    expect(await ask([list], "")).toEqual({});
  });

  describe.each(["allOf", "oneOf", "anyOf"])("a reference in %s is resolved for", (keyword) => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const components = {
      schemas: { Size: size, Text: { ...text, maxLength: 20 }, Same: ref("Text"), Texts: texts, Any: {} },
    };
    const read = (schema: object, search: string, more: object = {}) =>
      ask([query("f", schema, more)], search, {}, { components });

    test.each(["1.0", "null", "true", '"1"', "[1]", '{"a":1}', "12345678901234567890"])("the text %s", async (sent) => {
      const search = `f=${encodeURIComponent(sent)}`;
      expect(await read({ [keyword]: [ref("Text")] }, search)).toEqual({ f: sent });
      expect(await read({ [keyword]: [{ allOf: [ref("Same")] }] }, search)).toEqual({ f: sent });
    });

    test("a schema with siblings of the reference", async () => {
      const short = { [keyword]: [{ ...ref("Text"), minLength: 2 }] };
      expect([await read(short, "f=12"), await read(short, "f=1")]).toEqual([
        { f: "12" },
        expect.stringMatching(/^400 .*"f" must have/),
      ]);
      expect(await read(short, `f=${"1".repeat(21)}`)).toMatch(/^400 .*"f" must have/);
    });

    test("a schema with a default beside the reference", async () => {
      expect(await read({ [keyword]: [ref("Text")], default: "x" }, "")).toEqual({ f: "x" });
      expect(await read({ [keyword]: [ref("Size")], default: { min: 7 } }, "")).toEqual({ f: { min: 7 } });
    });

    test.each<[title: string, schema: object]>([
      ["an object", ref("Size")],
      ["an object in another", { allOf: [ref("Size")] }],
      ["an object with fields but without a type", { properties: size.properties }],
      ["an object with a sibling keyword", { ...ref("Size"), maxProperties: 2 }],
    ])("%s with each field as a query parameter", async (_title, member) => {
      const f = { min: 1, max: 2 };
      expect(await read({ [keyword]: [member] }, "min=1&max=2")).toEqual({ f });
      const own = { type: "object", properties: { own: text } };
      expect(await read({ ...own, [keyword]: [member] }, "own=a&max=2")).toEqual({ f: { own: "a", max: 2 } });
      expect(await read({ [keyword]: [member] }, "min=x")).toMatch(/^400 .*"min".* must be an integer/);
    });

    test("an object in one parameter", async () => {
      const own = { type: "object", [keyword]: [ref("Size")] };
      expect(await read(own, "f=min,1,max,2", { explode: false })).toEqual({ f: { min: 1, max: 2 } });
    });

    test("JSON of a list of numbers, and text that may be a string", async () => {
      const numbers = { type: "array", items: { type: "number" } };
      for (const explode of [true, false]) {
        expect(await read({ [keyword]: [numbers] }, "f=%5B1.5%5D", { explode })).toEqual({ f: [1.5] });
        expect(await read({ [keyword]: [ref("Texts")] }, "f=%5B1.5%5D", { explode })).toEqual({ f: ["[1.5]"] });
        expect(await read({ [keyword]: [ref("Any")] }, "f=%5B1.5%5D", { explode })).toEqual({ f: "[1.5]" });
      }
    });

    test("text without a type, and beside the schemas true and false", async () => {
      expect(await read({ [keyword]: [{ enum: ["1.0"] }] }, "f=1.0")).toEqual({ f: "1.0" });
      const none = { anyOf: [false, { allOf: [true, { [keyword]: [ref("Text")] }] }], type: "string" };
      expect([await read(none, "f=1.0"), await read(none, `f=${"1".repeat(21)}`)]).toEqual([
        { f: "1.0" },
        expect.stringMatching(/^400 /),
      ]);
    });

    test("an object without declared fields", async () => {
      const search = `f=${encodeURIComponent('{"a":1}')}`;
      expect(await read({ [keyword]: [{ type: "object" }] }, search)).toEqual({ f: { a: 1 } });
      expect(await read({ type: "object", [keyword]: [{}] }, search)).toEqual({ f: { a: 1 } });
    });
  });

  test("a parameter without a type is text, even if it has many digits", async () => {
    expect(await ask([query("q", {})], "q=12345678901234567890")).toEqual({ q: "12345678901234567890" });
    expect(await ask([query("q", { enum: ["1e400"] })], "q=1e400")).toEqual({ q: "1e400" });
  });

  test("a field with the name __proto__ is an ordinary field", async () => {
    const got = (await ask([query("f", anything, deep)], "f[__proto__][a]=1")) as { f: object };
    expect(JSON.stringify(got.f)).toBe('{"__proto__":{"a":"1"}}');
  });

  test("nesting is limited in brackets and in JSON", async () => {
    const nested = (levels: number) => `f${"[k]".repeat(levels)}=1`;
    const refusal = '400 Query parameter "f" nests deeper than the 100 levels allowed.';
    expect(await ask([query("f", anything, deep)], nested(100))).toHaveProperty(`f${".k".repeat(100)}`, "1");
    expect(await ask([query("f", anything, deep)], nested(101))).toBe(refusal);
    expect(
      await ask([query("f", anything, deep)], `f=${encodeURIComponent('{"k":'.repeat(101) + 1 + "}".repeat(101))}`),
    ).toBe(refusal);
  });

  test.each<[string, object]>([
    [
      "an object or a list",
      query("f", { oneOf: [{ type: "array", items: { type: "array" } }, anything] }, { explode: false }),
    ],
    ["any JSON", { in: "query", name: "f", content: { "text/json": { schema: {} } }, allowReserved: true }],
  ])("nesting is limited in %s", async (_title, parameter) => {
    expect(await ask([parameter], `f=${"[".repeat(101)}${"]".repeat(101)}`)).toMatch(
      /^400 .* nests deeper than the 100 levels/,
    );
  });

  test("an exploded object reads its fields, and other fields only if it allows them", async () => {
    const spread = (schema: object) => [query("f", schema)];
    expect(await ask(spread(size), "min=1")).toEqual({ f: { min: 1 } });
    expect(await ask(spread({ type: "object", properties: { a: texts } }), "a=1")).toEqual({ f: { a: ["1"] } });
    expect(await ask(spread(size), "min=0x10")).toMatch(
      /^400 Field "min" of .*"f" must be an integer in plain decimal digits/,
    );
    expect(await ask(spread(size), "min=1&f[max]=2")).toEqual({ f: { min: 1, max: 2 } });
    expect(await ask(spread(size), `min=1&f=${encodeURIComponent('{"max":2}')}`)).toBe(both);
    expect(await ask(spread(size), "other=1")).toBe(
      '400 Query parameter "other" is not known. The parameters are: f, min, max.',
    );
    expect(await ask(spread({ anyOf: [size, { type: "object", properties: { a: text } }] }), "a=1")).toEqual({
      f: { a: "1" },
    });
    expect(await ask(spread({ additionalProperties: true }), "other=1")).toMatch(/^400 .*"other" is not known/);
    expect(await ask(spread(anything), "other=1&more[a]=2")).toEqual({ f: { other: "1", more: { a: "2" } } });
    expect(await ask(spread(anything), "more[a=2")).toMatch(/^400 .*"more" does not take these brackets/);
    expect(await ask(spread(anything), "[a]=2")).toMatch(/^400 A query parameter does not take these brackets/);
  });
});
