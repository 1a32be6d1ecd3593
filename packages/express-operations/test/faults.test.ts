import { describe, expect, test } from "vitest";
import { implement, type OpenApiDocument } from "../src/index.ts";
import { anyJson } from "./echo.ts";
import { listen } from "./listen.ts";

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
