import express from "express";
import { describe, expect, test } from "vitest";
import { brokenOperationFinder, findBrokenOperations } from "../src/validation/broken-operations.ts";
import { operationsOf } from "openapi-document";
import { implement } from "../src/index.ts";
import { anyJson } from "./echo.ts";
import { listen } from "./listen.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Returns a document with one operation for each schema, which is that of its body. */
function documentOf(schemas: Record<string, unknown>, bodies: Record<string, unknown>, openapi = "3.1.0") {
  const operation = (operationId: string, schema: unknown) => ({
    post: { operationId, requestBody: { content: { "application/json": { schema } } }, responses: anyJson },
  });
  const paths = Object.fromEntries(Object.entries(bodies).map(([id, schema]) => [`/${id}`, operation(id, schema)]));
  return { openapi, info: { title: "t", version: "1" }, paths, components: { schemas } };
}

/** Returns the messages of an error and of its cause. */
function messagesOf(error: unknown): string {
  return `${String(error)} ${String((error as Error).cause)}`;
}

function start(document: ReturnType<typeof documentOf>, { warm = false } = {}) {
  const handlers = Object.fromEntries(operationsOf(document).map(({ id }) => [id, () => ({ status: 200, body: {} })]));
  return implement()({ document, handlers: handlers as never, warm });
}

describe("an operation whose schemas are invalid", () => {
  test.each<[fault: string, schema: object, message: string]>([
    [
      "a pattern of another language",
      { items: { pattern: "^\\p{javaMirrored}+$" } },
      "body/items: Invalid regular expression",
    ],
    ["an unbalanced pattern", { properties: { a: { pattern: "(" } } }, "body/properties/a: Invalid regular expression"],
    ["an invalid name pattern", { patternProperties: { "[": {} } }, "body: Invalid regular expression"],
    ["an unknown type", { anyOf: [{}, { type: "file" }] }, 'body/anyOf/1: "file" is not a type of JSON Schema.'],
    [
      "a broken reference",
      { not: ref("Nothing") },
      "body/not: The reference #/components/schemas/Nothing has no target.",
    ],
    [
      "a dynamic reference to several schemas",
      { $dynamicRef: "#n", $defs: { a: { $dynamicAnchor: "n" }, b: { $dynamicAnchor: "n" } } },
      "body: The reference #n leads to no schema, or to several.",
    ],
    ["a bound that is a text", { minLength: "1" }, "body: The value of minLength must be a number."],
    ["a flag in place of a list", { required: true }, "body: The value of required must be a list of strings."],
    ["a bound of another type", { maximum: null }, "body: The value of maximum must be a number."],
    ["a flag of OpenAPI 3.0", { exclusiveMinimum: true }, "body: The value of exclusiveMinimum must be a number."],
    ["a text in place of a flag", { uniqueItems: "yes" }, "body: The value of uniqueItems must be a boolean."],
    ["an empty list", { properties: { a: { enum: [] } } }, "body/properties/a: The list of enum must not be empty."],
    ["a list in place of an object", { properties: [] }, "body: The value of properties must be an object."],
    ["a list in place of a schema", { items: [{}] }, "body: The value of items must be a schema."],
    ["a reference that is no text", { properties: { a: { $ref: null } } }, "The value of $ref must be a string."],
    ["null in a list of schemas", { allOf: [{}, null] }, "body: The value of allOf/1 must be a schema."],
    ["a field without a schema", { properties: { a: null } }, "body: The value of properties/a must be a schema."],
    ["null as a type", { items: { type: null } }, "body/items: null is not a type of JSON Schema."],
    ["a number as a name", { required: [1] }, "body: The value of required must be a list of strings."],
    [
      "a number in place of names",
      { dependentRequired: { a: 1 } },
      "body: The value of dependentRequired/a must be a list of strings.",
    ],
    [
      "a circle",
      {
        properties: { a: { $ref: "#/paths/~1broken/post/requestBody/content/application~1json/schema/$defs/A" } },
        $defs: {
          A: {
            anyOf: [
              { type: "string" },
              { not: { $ref: "#/paths/~1broken/post/requestBody/content/application~1json/schema/$defs/A" } },
            ],
          },
        },
      },
      "body/properties/a/anyOf/1/not: The schema is applied to the same value again",
    ],
    ["a name that ajv ignores", { required: ["__proto__"] }, 'body: A schema names a field "__proto__"'],
  ])("is found without compilation, and at a warm start: %s", async (_, schema, message) => {
    const document = documentOf({}, { broken: schema, sound: { type: "object" } });
    const [broken, ...others] = findBrokenOperations(document);
    expect([broken?.operationId, others]).toEqual(["broken", []]);
    expect(String(broken?.error)).toContain(message);
    const [compiled, ...more] = await start(document, { warm: true }).ready;
    expect([compiled?.operationId, more]).toEqual(["broken", []]);
    expect(messagesOf(compiled?.error)).toContain(message);
  });

  test.each([
    [{ exclusiveMinimum: 1 }, "body: The value of exclusiveMinimum must be a boolean."],
    [{ exclusiveMaximum: true }, "body: exclusiveMaximum needs maximum beside it in OpenAPI 3.0."],
  ])("is found in OpenAPI 3.0: %j", async (schema, message) => {
    const document = { ...documentOf({}, { broken: schema }), openapi: "3.0.3" };
    const [broken] = findBrokenOperations(document);
    expect(String(broken?.error)).toContain(message);
    expect(await start(document, { warm: true }).ready).toHaveLength(1);
  });

  test("is found by the name of a parameter", async () => {
    for (const place of ["query", "header", "cookie"]) {
      const parameters = [{ in: place, name: "__proto__", required: true, schema: { type: "string" } }];
      const paths = { "/x": { get: { operationId: "x", parameters, responses: anyJson } } };
      const document = { ...documentOf({}, {}), paths: paths as never };
      for (const [broken] of [findBrokenOperations(document), await start(document, { warm: true }).ready])
        expect(messagesOf(broken?.error)).toContain(`${place} __proto__: This name cannot be validated.`);
    }
  });

  test("is compiled at its first request alone", async () => {
    const errors: unknown[] = [];
    const implementation = start(documentOf({}, { broken: { pattern: "(" } }));
    expect(await implementation.ready).toEqual([]);
    const app = express().use(implementation);
    app.use(((error, _request, response, _next) => {
      errors.push(error);
      response.status(500).end();
    }) as express.ErrorRequestHandler);
    await using server = await listen(app);
    for (let sent = 0; sent < 2; sent++) await fetch(`${server.baseUrl}/broken`, { method: "POST" });
    expect(errors).toEqual([expect.any(Error), errors[0]]);
    expect(errors[1]).toBe(errors[0]);
  });

  test("is found in each operation that leads to the schema, also through a recursion", async () => {
    const Tree = { properties: { left: ref("Tree"), leaf: ref("Leaf") } };
    const bodies = {
      first: ref("Tree"),
      other: { type: "string" },
      second: { items: ref("Tree") },
      third: ref("Leaf"),
    };
    const document = documentOf({ Tree, Leaf: { pattern: "(" } }, bodies);
    const found = findBrokenOperations(document).map(({ operationId }) => operationId);
    expect(found).toEqual(["first", "second", "third"]);
  });
});

test("keywords beside a reference of OpenAPI 3.0 and the ids of extensions are no fault", async () => {
  const list = { type: "array", "x-connectors": [{ id: "a" }, { id: "a", of: 1 }], items: ref("Text") };
  const bodies = { list, beside: { ...ref("Text"), pattern: "(" } };
  const document = documentOf({ Text: { type: "string" } }, bodies, "3.0.3");
  expect([findBrokenOperations(document), await start(document, { warm: true }).ready]).toEqual([[], []]);
});

test("schemas of earlier operations are not read again", () => {
  let reads = 0;
  const Shared = {
    get type() {
      reads++;
      return "string";
    },
  };
  const document = documentOf({ Shared }, { a: ref("Shared"), b: ref("Shared"), c: { items: ref("Shared") } });
  const errorOf = brokenOperationFinder(document);
  const [first, ...others] = operationsOf(document);
  errorOf(first!);
  const once = reads;
  for (const entry of others) expect(errorOf(entry)).toBeUndefined();
  expect([once > 0, reads]).toEqual([true, once]);
});
