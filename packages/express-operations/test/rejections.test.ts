import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { implement, type OpenApiDocument } from "../src/index.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

describe("rejections", () => {
  const post = (schema: object) => ({
    post: {
      operationId: "post",
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: anyJson,
    },
  });

  /** Sends JSON to an operation with this body schema. Returns the status and the error message. */
  async function answerTo(schema: object, body: unknown): Promise<[status: number, message: unknown]> {
    await using server = await serveEcho({ "/": post(schema) });
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(server.baseUrl, { method: "POST", headers, body: JSON.stringify(body) });
    const { message } = (await response.json()) as { message?: string };
    return [response.status, message];
  }

  describe("a query parameter of the type array or string", () => {
    const schema = { type: ["array", "string"], items: { type: "integer" } };
    const get = { operationId: "get", parameters: [{ in: "query", name: "a", schema }], responses: anyJson };

    test.each([
      ["a=plain", 200, { query: { a: "plain" } }],
      ["a=1&a=2", 200, { query: { a: [1, 2] } }],
      ["a=1&a=x", 400, { message: expect.stringContaining("must be an integer in plain decimal digits") }],
    ])("%s gets a %i", async (query, status, answer) => {
      await using server = await serveEcho({ "/": { get } });
      const response = await fetch(`${server.baseUrl}/?${query}`);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject(answer);
    });
  });

  describe("a repeated header", () => {
    const message = async (schema: object, ...values: string[]) => {
      const parameters = [{ in: "header", name: "X-Key", schema }];
      await using server = await serveEcho({ "/": { get: { operationId: "get", parameters, responses: anyJson } } });
      const sent = httpRequest(server.baseUrl, { headers: { "X-Key": values } }).end();
      const body = await new Promise<string>((done, failed) => {
        sent.on("error", failed).on("response", (response) => void text(response).then(done, failed));
      });
      return (JSON.parse(body) as { message?: string }).message;
    };

    test.each([
      [{ type: "string", pattern: "^[a-z]+$" }, ["a", "b"]],
      [{ type: "integer" }, ["1", "2"]],
    ])("is rejected for its repetition if the schema is %j", async (schema, values) => {
      expect(await message(schema, ...values)).toBe('Header "X-Key" must be given only once.');
      expect(await message(schema, values.join(", "))).not.toContain("once");
    });

    test("is rejected only for its items if the schema is an array", async () => {
      const schema = { type: "array", items: { type: "integer" } };
      expect(await message(schema, "1", "2")).toBeUndefined();
      expect(await message(schema, "1", "x")).toContain("must be an integer in plain decimal digits");
    });
  });

  describe("oneOf and anyOf with a distinguishing const or enum", () => {
    const form = (kind: object, name: string) => ({
      type: "object",
      required: ["kind", name],
      properties: { kind, [name]: { type: "string" } },
    });
    const forms = [
      form({ const: "cat" }, "meow"),
      form({ const: "dog" }, "bark"),
      form({ enum: ["cow", "bull"] }, "moo"),
    ];

    test.each([
      [{ kind: "fox" }, 'Body field "kind" must be one of: cat, dog, cow, bull.'],
      [{ kind: "fox", meow: "m" }, 'Body field "kind" must be one of: cat, dog, cow, bull.'],
      [{ kind: "cat" }, 'Body field "meow" is required.'],
      [{ kind: "cat", meow: 1 }, 'Body field "meow" must be a string.'],
      [{ kind: "dog", meow: "m" }, 'Body field "bark" is required.'],
      [{ kind: "bull" }, 'Body field "moo" is required.'],
      [{}, 'Body field "kind" is required.'],
    ])("report the fault of the intended schema: %j", async (body, message) => {
      for (const keyword of ["oneOf", "anyOf"]) {
        expect(await answerTo({ [keyword]: forms }, body)).toEqual([400, message]);
      }
      const items = { type: "object", properties: { pet: { oneOf: forms } } };
      const [, nested] = await answerTo(items, { pet: body });
      expect(nested).toBe(message.replace('field "', 'field "pet.'));
    });
  });

  test("unevaluatedItems: false may close a tuple", async () => {
    const schema = { type: "array", prefixItems: [{ type: "string" }], unevaluatedItems: false };
    expect(await answerTo(schema, ["a"])).toEqual([200, undefined]);
    expect((await answerTo(schema, ["a", 1]))[0]).toBe(400);
    expect((await answerTo(schema, [1]))[0]).toBe(400);
  });

  /** ajv ignores these names, and would accept values that they forbid. */
  test.each([
    ['{ "required": [""] }', "a field whose name is empty"],
    ['{ "required": ["__proto__"] }', 'a field "__proto__"'],
    ['{ "properties": { "__proto__": { "type": "string" } } }', 'a field "__proto__"'],
  ])("an operation with the schema %s is reported as broken", async (schema, fault) => {
    const paths = { "/": post({ type: "array", items: JSON.parse(schema) as object }) };
    const document = { openapi: "3.1.0", paths } as OpenApiDocument;
    const handlers = { post: () => ({ status: 200, body: {} }) } as never;
    const [broken] = await implement()({ document, handlers, warm: true }).ready;
    expect(broken).toMatchObject({
      operationId: "post",
      error: { cause: { message: expect.stringContaining(fault) } },
    });
  });
});

describe("faults", () => {
  const integer = (place: string, name: string) => ({
    in: place,
    name,
    required: place === "path",
    schema: { type: "integer", maximum: 9 },
  });
  const pet = {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, age: { type: "integer" }, legs: { type: "integer" } },
    additionalProperties: false,
  };
  const document = {
    openapi: "3.1.0",
    paths: {
      "/pets/{petId}": {
        post: {
          operationId: "put",
          parameters: [
            integer("query", "limit"),
            integer("query", "page"),
            integer("path", "petId"),
            integer("header", "X-Zone"),
          ],
          requestBody: { required: true, content: { "application/json": { schema: pet } } },
          responses: anyJson,
        },
      },
    },
  } as OpenApiDocument;

  describe("a request with two faults", () => {
    test.each<[said: string, path: string, body: object | string, headers?: Record<string, string>]>([
      ['"limit"', "/1?limit=x&page=y", {}],
      ['"limit"', "/1?page=y&limit=x", {}],
      ['"limit"', "/1?limit=10&page=10", { name: 1 }],
      ['"page"', "/1?page=10", { name: 1 }],
      ['"limit"', "/x?limit=x", {}],
      ['"limit"', "/x?limit=10", {}],
      ['"X-Zone"', "/x", { name: 1 }, { "X-Zone": "x" }],
      ['"petId"', "/x", { name: 1 }],
      ['"limit"', "/1?limit=10", {}, { "X-Zone": "x" }],
      ['"other"', "/x?other=1", "{"],
      ["The request body is not valid JSON.", "/x?limit=x", "{"],
      ['body field "name"', "/1", { age: "x", legs: "x" }],
      ['body field "age"', "/1", { name: "Rex", legs: "x", age: "x" }],
    ])("gets a message with %s: %s with the body %j", async (said, path, body, headers = {}) => {
      const handlers = { put: () => ({ status: 200, body: {} }) } as never;
      await using server = await listen(implement()({ document, handlers }));
      const response = await fetch(`${server.baseUrl}/pets${path}`, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "Content-Type": "application/json", ...headers },
      });
      expect(response.status).toBe(400);
      expect(((await response.json()) as { message: string }).message.toLowerCase()).toContain(said.toLowerCase());
    });
  });
});
