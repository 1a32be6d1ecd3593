import { describe, expect, test } from "vitest";
import { declaredErrors } from "../src/declared-errors/declared-errors.ts";
import { implement, type OpenApiDocument, type Problem, type ProblemFormat } from "../src/index.ts";
import { listen } from "./listen.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const book = {
  type: "object",
  required: ["title", "author"],
  properties: {
    title: { ...text, minLength: 1, pattern: "^[A-Z]" },
    author: text,
    pages: { ...integer, minimum: 1 },
    tags: { type: "array", items: text },
    cover: { oneOf: [{ type: "object", required: ["url"], properties: { url: text } }, { enum: ["none"] }] },
    parts: { type: "array", items: { $ref: "#/components/schemas/Book" } },
  },
  additionalProperties: false,
};
const fault = { type: "object", properties: { field: text, pointer: text, message: text, code: text } };
const document = {
  openapi: "3.1.1",
  paths: {
    "/shops/{shop}/books": {
      post: {
        operationId: "addBook",
        parameters: [
          { name: "shop", in: "path", required: true, schema: integer },
          { name: "limit", in: "query", required: true, schema: integer },
          { name: "sort", in: "query", schema: { enum: ["title", "pages"] } },
          { name: "X-Trace", in: "header", schema: { ...text, maxLength: 2 } },
          { name: "session", in: "cookie", schema: { ...text, maxLength: 2 } },
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: { $ref: "#/components/schemas/Book" } },
            "application/x-www-form-urlencoded": { schema: book },
          },
        },
        responses: {
          204: { description: "" },
          400: {
            description: "",
            content: {
              "application/json": {
                schema: { type: "object", properties: { message: text, errors: { type: "array", items: fault } } },
              },
            },
          },
        },
      },
    },
  },
  components: { schemas: { Book: book } },
} as OpenApiDocument;

type Fault = Problem["errors"][number];

/** Sends a body, and returns the status and the faults of the response, as problem details have them. */
async function faultsOf(body: unknown, path = "/shops/1/books?limit=1", headers = {}, options: object = {}) {
  const handlers = { addBook: () => ({ status: 204 }) };
  const given = { document, handlers, problemFormat: "problem+json", bodyLimit: 10_000_000, ...options };
  await using server = await listen(implement()(given as never));
  const response = await fetch(server.baseUrl + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const problem = (await response.json()) as { errors: (Fault & { detail: string })[]; detail: string };
  return { status: response.status, ...problem };
}

const placesOf = ({ errors }: { errors: Fault[] }) =>
  errors.map(({ in: place, parameter, pointer, code }) => `${place} ${parameter ?? pointer} ${code}`);

describe("an invalid request gets every fault", () => {
  test("of all its parameters and its body, the first one of each kind first", async () => {
    const path = "/shops/x/books?sort=age";
    const headers = { "X-Trace": "long", Cookie: "session=long" };
    const result = await faultsOf({ title: "", pages: 0, tags: ["a", 1, 2], more: true }, path, headers);
    expect(result.status).toBe(400);
    expect(placesOf(result).toSorted()).toEqual([
      "body /author required",
      "body /more additionalProperties",
      "body /pages minimum",
      "body /tags/1 type",
      "body /tags/2 type",
      "body /title minLength",
      "cookie session maxLength",
      "header X-Trace maxLength",
      "path shop type",
      "query limit required",
      "query sort enum",
    ]);
    expect(result.errors[0]!.detail).toBe(result.detail);
    for (const { detail } of result.errors) expect(detail).toMatch(/^[A-Z].*\.$/);
  });

  test("one for each value: one of two faults of a string, and that of a choice for all of its members", async () => {
    const result = await faultsOf({ title: "", author: "a", cover: {}, pages: "x" });
    expect(placesOf(result).toSorted()).toEqual(["body /cover oneOf", "body /pages type", "body /title minLength"]);
  });

  test("of a form too", async () => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const result = await faultsOf("title=&pages=many", undefined, headers);
    expect(placesOf(result).toSorted()).toEqual(["body /author required", "body /pages type", "body /title minLength"]);
  });

  test("of its parameters, however large its valid body", async () => {
    const tags = Array.from({ length: 2_000 }, () => "a");
    const result = await faultsOf({ title: "A", author: "b", tags }, "/shops/x/books?limit=y");
    expect(placesOf(result).toSorted()).toEqual(["path shop type", "query limit type"]);
  });

  test.each<[string, ProblemFormat]>([
    ["the declared error", declaredErrors(document)],
    ["a format of the application", ({ message, errors }) => ({ body: { message, errors } })],
  ])("in %s", async (_title, problemFormat) => {
    const result = await faultsOf({ title: 1, author: 2 }, undefined, {}, { problemFormat });
    expect(result.errors).toMatchObject([
      { pointer: "/title", message: 'Body field "title" must be a string.' },
      { pointer: "/author", message: 'Body field "author" must be a string.' },
    ]);
  });

  test("at most 20", async () => {
    const tags = Array.from({ length: 50 }, () => 1);
    expect((await faultsOf({ title: "A", author: "b", tags })).errors).toHaveLength(20);
  });
});

describe("the search for faults is bounded", () => {
  const millisecondsOf = async (body: unknown) => {
    const began = performance.now();
    const result = await faultsOf(body);
    return { ...result, milliseconds: performance.now() - began };
  };

  test("a body of more than 1,000 values gets its first fault alone, in the time of its validation", async () => {
    const tags = Array.from({ length: 200_000 }, () => 1);
    const { errors, milliseconds } = await millisecondsOf({ title: "A", author: "b", tags });
    expect(placesOf({ errors })).toEqual(["body /tags/0 type"]);
    expect(milliseconds).toBeLessThan(2_000);
  });

  test("schemas that refer to themselves in each of many members cost no more", async () => {
    const node = {
      anyOf: Array.from({ length: 8 }, (_, at) => ({
        type: "object",
        required: ["kind"],
        properties: { child: { $ref: "#/components/schemas/Node" }, kind: { const: `kind ${at}` } },
      })),
    };
    const responses = { 204: { description: "" } };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Node" } } };
    const recursive = {
      openapi: "3.1.1",
      paths: { "/nodes": { post: { operationId: "addNode", requestBody: { content }, responses } } },
      components: { schemas: { Node: node } },
    };
    let body: object = { kind: "none" };
    for (let depth = 0; depth < 30; depth++) body = { child: body };
    const handlers = { addNode: () => ({ status: 204 }) };
    const began = performance.now();
    const options = { document: recursive, handlers };
    const { status } = await faultsOf(body, "/nodes", {}, options);
    expect(status).toBe(400);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe("a body that cannot be read gets a fault with its place", () => {
  test.each([
    ["{", "", "syntax"],
    ['{"parts":[{"title":"A"},{"title":"A","title":"B"}]}', "/parts/1/title", "syntax"],
    ['{"a":{"b":1},"pages":9007199254740993}', "/pages", "syntax"],
    ['{"parts":[[],[1,12345678901234567890123]]}', "/parts/1/1", "syntax"],
    ['{"a secret that is not a word":{"x":1,"x":2}}', "", "syntax"],
    ["", "", "required"],
  ])("%s", async (body, pointer, code) => {
    const { status, errors, detail } = await faultsOf(body);
    expect([status, errors]).toEqual([400, [{ in: "body", pointer, code, detail }]]);
  });
});
