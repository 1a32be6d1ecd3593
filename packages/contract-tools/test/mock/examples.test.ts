import { type OpenApiDocument, operationsOf } from "openapi-document";
import { describe, expect, test } from "vitest";
import { exampleResponse, preferredResponse, successResponse, successStatus } from "../../src/mock/examples.ts";
import { preferencesOf } from "../../src/mock/prefer.ts";

type Json = Record<string, unknown>;

function operation(responses: Json | undefined, components: Json = {}) {
  const document = {
    openapi: "3.1.1",
    paths: { "/pets": { get: { operationId: "listPets", responses } } },
    components,
  } as unknown as OpenApiDocument;
  return { document, entry: operationsOf(document)[0]! };
}

function answerOf(responses: Json, status: number, name?: string, components?: Json) {
  const { document, entry } = operation(responses, components);
  return exampleResponse(document, entry, status, { example: name });
}

const json = (media: Json) => ({ description: "", content: { "application/json": media } });
const EMPTY = { headers: {}, contentType: "application/json" };

test("an example of an object may be a text that holds it as JSON", async () => {
  const pet = { type: "object", properties: { id: { type: "integer" } } };
  const text = ' { "id": 1 }';
  for (const media of [
    { schema: pet, example: text },
    { schema: { ...pet, example: text } },
    { schema: pet, examples: { one: { value: text } } },
  ])
    expect(await answerOf({ "200": json(media) }, 200)).toMatchObject({ body: { id: 1 } });
  for (const example of ["{id}", "[1"])
    expect(await answerOf({ "200": json({ schema: pet, example }) }, 200)).toMatchObject({ body: example });
  const given = json({ schema: { type: ["object", "string"] }, example: text });
  expect(await answerOf({ "200": given }, 200)).toMatchObject({ body: text });
});

describe("the status of a success is the lowest declared one, or 200", () => {
  test.each<[keys: string[], status: number]>([
    [["404", "201", "200"], 200],
    [["404", "2XX"], 200],
    [["default"], 200],
    [["201", "default"], 201],
    [["4XX", "302"], 302],
    [["404", "default"], 200],
    [[], 200],
  ])("%o", (keys, status) => {
    const { entry } = operation(Object.fromEntries(keys.map((key) => [key, { description: "" }])));
    expect(successStatus(entry)).toBe(status);
  });

  test("for an operation without responses", () => {
    expect(successStatus(operation(undefined).entry)).toBe(200);
  });
});

test.each([
  ["*/*", "string", "text/plain"],
  ["*/*", "object", "application/json"],
  ["application/*", "object", "application/json"],
  ["image/*", "string", "image/png"],
  ["application/*+xml", "string", "application/x+xml"],
  ["font/*", "string", "font/plain"],
])("the response %s with a value of type %s is %s", async (range, type, contentType) => {
  const responses = { 200: { description: "", content: { [range]: { schema: { type } } } } };
  expect(await answerOf(responses, 200)).toMatchObject({ contentType });
});

describe("the example of a response", () => {
  test.each<[name: string, media: Json, body: unknown]>([
    ["is its `example`", { example: "a", schema: { type: "integer" } }, "a"],
    ["is the first of its `examples`", { examples: { one: { value: "a" }, two: { value: "b" } } }, "a"],
    ["is its `example` if it has both", { example: "c", examples: { one: { value: "a" } } }, "c"],
    ["is a value that its schema allows", { schema: { const: "d" } }, "d"],
    [
      "is the one whose status is that of the response",
      { example: "c", examples: { one: { value: "a" }, two: { value: { status: 200 } } } },
      { status: 200 },
    ],
    [
      "is the first one if no status is a number",
      { examples: { one: { value: { status: "200" } }, two: { value: null } } },
      { status: "200" },
    ],
  ])("%s", async (_name, media, body) => {
    expect(await answerOf({ "200": json(media) }, 200)).toEqual({ ...EMPTY, status: 200, body });
  });

  test("is the one with the given name, also behind a reference", async () => {
    const examples = { one: { value: "a" }, two: { $ref: "#/components/examples/Two" } };
    const components = { examples: { Two: { value: "b" } } };
    expect(await answerOf({ "200": json({ examples }) }, 200, "two", components)).toMatchObject({ body: "b" });
    expect(await answerOf({ "200": json({ examples }) }, 200, "three", components)).toBeUndefined();
    expect(await answerOf({ "200": { description: "" } }, 200, "three")).toBeUndefined();
  });

  test("is empty for a response without a body, and undefined for an undeclared status", async () => {
    expect(await answerOf({ "204": { description: "" } }, 204)).toEqual({ status: 204, headers: {} });
    expect(await answerOf({ "204": { description: "" } }, 404)).toBeUndefined();
  });

  test("gets the requested status if its response is declared for several", async () => {
    const examples = { one: { value: { status: 400, code: "a" } }, two: { value: { status: 503, code: "b" } } };
    const answers = async (status: number, key = "default", name?: string) =>
      (await answerOf({ [key]: json({ examples }) }, status, name))?.body;
    expect(await answers(503)).toEqual({ status: 503, code: "b" });
    expect(await answers(404)).toEqual({ status: 404, code: "a" });
    expect(await answers(404, "4XX", "two")).toEqual({ status: 404, code: "b" });
    expect(await answers(404, "404")).toEqual({ status: 400, code: "a" });
    expect(await answerOf({ default: json({ example: "a" }) }, 404)).toMatchObject({ body: "a" });
  });
});

describe("the headers of a response", () => {
  const headers = {
    "X-Id": { required: true, schema: { type: "string" }, example: "a" },
    Count: { required: true, schema: { const: 5 } },
    Sent: { required: true, examples: { one: { $ref: "#/components/examples/Sent" }, two: { value: 2 } } },
    Listed: { required: true, example: ["a", "b"] },
    "Retry-After": { $ref: "#/components/headers/RetryAfter" },
    Given: { schema: { type: "string", example: "g" } },
    Made: { schema: { type: "string" } },
  };
  const components = { examples: { Sent: { value: true } }, headers: { RetryAfter: { example: 1 } } };

  test("are the required ones and those with an example, and in a failure also the others", async () => {
    const sent = async (status: number) =>
      (await answerOf({ default: { headers } }, status, undefined, components))?.headers;
    const always = { "X-Id": "a", Count: 5, Sent: true, Listed: ["a", "b"], "Retry-After": 1, Given: "g" };
    expect(await sent(200)).toStrictEqual(always);
    expect(await sent(399)).toStrictEqual(always);
    expect(await sent(400)).toStrictEqual({ ...always, Made: "x" });
  });

  test("are none that Node cannot send, and none that say something about another body", async () => {
    const example = (value: unknown) => ({ schema: {}, example: value });
    const unfit = {
      "Content-Length": example(1),
      ETag: example('"a"'),
      "X-Text": example("a\nb"),
      "X Y": example("a"),
    };
    expect((await answerOf({ 200: { headers: unfit } }, 200))?.headers).toStrictEqual({});
  });
});

describe("the preferred response", () => {
  const responses = {
    "404": json({ examples: { missing: { value: "m" }, both: { value: "f" } } }),
    "200": json({ examples: { empty: { value: [] }, both: { value: "s" } } }),
  };
  const { document, entry } = operation(responses);
  test.each([
    [{}, undefined],
    [{ code: 404 }, [404, "m", { code: 404 }]],
    [{ code: 404, example: "both" }, [404, "f", { code: 404, example: "both" }]],
    [{ example: "both" }, [200, "s", { example: "both" }]],
    [{ example: "missing" }, [404, "m", { example: "missing" }]],
    [{ code: 404, example: "empty" }, [404, "m", { code: 404 }]],
    [{ code: 503, example: "empty" }, undefined],
    [{ example: "none" }, undefined],
  ])("%o", async (preferences, expected) => {
    const found = await preferredResponse(document, entry, preferences);
    expect(found && [found.response.status, found.response.body, found.applied]).toStrictEqual(expected);
  });
});

test("successResponse rejects with the name of an operation that declares no response", async () => {
  const { document, entry } = operation({});
  await expect(successResponse(document, entry)).rejects.toThrow('Operation "listPets" declares no response.');
});

test.each([
  [undefined, {}],
  ["", {}],
  ["code=404", { code: 404 }],
  ["code=404, example=notFound", { code: 404, example: "notFound" }],
  [["code=404", "example=notFound"], { code: 404, example: "notFound" }],
  ["example=notFound,CODE=404", { code: 404, example: "notFound" }],
  ['example="two words, a comma; and a semicolon"', { example: "two words, a comma; and a semicolon" }],
  [String.raw`example="a \"quoted\" name"`, { example: 'a "quoted" name' }],
  ["code = 404 ; foo=bar, respond-async, wait=10", { code: 404 }],
  ["code=404, code=400", { code: 404 }], // the first one counts
  ["code=teapot", {}],
  ["code=100", {}], // no final response
  ['example=""', {}], // as if it had no value
  ["dynamic=true", { dynamic: true }],
  ["dynamic=true, seed=12", { dynamic: true, seed: 12 }],
  ["dynamic=false, seed=x", {}],
])("Prefer: %s", (header, preferences) => {
  expect(preferencesOf(header)).toEqual(preferences);
});
