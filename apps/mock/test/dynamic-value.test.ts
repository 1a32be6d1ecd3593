import type { Schema } from "openapi-document";
import { describe, expect, test } from "vitest";
import { validValue } from "express-operations/conformance";
import { randomNumbers } from "../src/conditions.ts";
import { serve } from "./serve.ts";

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
