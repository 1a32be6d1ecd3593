import type { OpenApiDocument, Schema } from "openapi-document";
import { expect, test } from "vitest";
import { json, serve } from "./serve.ts";

test.each<[name: string, id: Schema]>([
  ["uuid", { type: "string", format: "uuid" }],
  ["uuid as a choice", { oneOf: [{ type: "string", format: "uuid" }, { type: "integer" }] }],
  ["email", { type: "string", format: "email" }],
  ["date", { type: "string", format: "date" }],
  ["byte", { type: "string", format: "byte" }],
  ["IPv6 address", { type: "string", format: "ipv6" }],
  ["pattern of digits", { type: "string", pattern: "^x[0-9]+$" }],
  ["pattern of letters", { type: "string", pattern: "^[A-Z]{3}$", minLength: 3 }],
  ["exact length", { type: "string", pattern: "^[a-z]+$", minLength: 8, maxLength: 8 }],
  ["listed texts", { type: "string", enum: ["a", "b", "c", "d"] }],
  ["listed numbers", { type: "integer", enum: [7, 8, 9, 10] }],
  ["range", { type: "integer", minimum: 5, maximum: 8 }],
  ["negative range", { type: "integer", minimum: -4, maximum: -1 }],
  ["exclusive range", { type: "integer", exclusiveMinimum: 100, exclusiveMaximum: 105 }],
  ["multiples", { type: "integer", multipleOf: 10, minimum: 15 }],
])("three creations get three ids that the contract allows: %s", async (_name, id) => {
  const { request } = await serve({ document: contractWith(id) });
  const responses = await Promise.all([1, 2, 3].map(() => request("/things", json({}))));
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]); // the mock validates its own responses
  const created = (await Promise.all(responses.map((response) => response.json()))) as { id: unknown }[];
  expect(new Set(created.map((thing) => thing.id)).size).toBe(3);
});

/** Returns a contract with one collection, whose list has one member. */
function contractWith(id: Schema): OpenApiDocument {
  const thing = { type: "object", required: ["id"], properties: { id } };
  const response = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
  return {
    openapi: "3.1.1",
    paths: {
      "/things": {
        get: { operationId: "list", responses: { 200: response({ type: "array", items: thing }) } },
        post: {
          operationId: "create",
          requestBody: { content: { "application/json": { schema: { type: "object" } } } },
          responses: { 201: response(thing) },
        },
      },
    },
  };
}
