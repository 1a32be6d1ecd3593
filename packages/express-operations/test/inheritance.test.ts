import { describe, expect, test } from "vitest";
import { operationsOf, readableDocument } from "openapi-document";
import { responseCheck } from "../src/response/response-check.ts";
import { anyJson, serveEcho } from "./echo.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const kind = { type: "object", required: ["kind"], properties: { kind: { type: "string" } } };
const discriminator = { propertyName: "kind" };
const field = (name: string, type: string) => ({ required: [name], properties: { [name]: { type } } });

/** A parent lists its children, which inherit from it. A cat is a parent itself. */
const schemas = {
  Pet: { ...kind, oneOf: [ref("Cat"), ref("Dog")], discriminator },
  Dog: { allOf: [ref("Pet"), field("bark", "boolean")] },
  Cat: { allOf: [ref("Pet"), field("lives", "integer")], anyOf: [ref("Lion"), { not: { required: ["pride"] } }] },
  Lion: { allOf: [ref("Cat"), field("pride", "string")] },
  Toys: { type: "array", items: { oneOf: [ref("Pet"), { type: "string" }] } },
};

describe.each(["3.0.3", "3.1.0", "3.2.0"])(
  "children that inherit from a parent that lists them, in OpenAPI %s,",
  (openapi) => {
    test.each<[name: string, value: unknown, message: string | undefined]>([
      ["Pet", { kind: "Dog", bark: true }, undefined],
      ["Pet", { kind: "Dog", bark: "loud" }, 'Body field "bark" must be true or false.'],
      ["Pet", { kind: "Cat", bark: true }, 'Body field "lives" is required.'],
      ["Pet", { kind: "Cat", lives: 9, pride: "Serengeti" }, undefined],
      ["Pet", { kind: "Cow" }, 'Body field "kind" must be one of: Cat, Dog.'],
      ["Dog", { kind: "Dog", bark: true }, undefined],
      ["Dog", { bark: true }, 'Body field "kind" is required.'],
      ["Lion", { kind: "Cat", lives: 9, pride: "Serengeti" }, undefined],
      ["Lion", { kind: "Cat", lives: 9 }, 'Body field "pride" is required.'],
      ["Toys", ["ball", { kind: "Dog", bark: true }], undefined],
    ])("are validated: %s %j", async (name, value, message) => {
      const requestBody = { required: true, content: { "application/json": { schema: ref(name) } } };
      const paths = { "/x": { post: { operationId: "x", requestBody, responses: anyJson } } };
      await using server = await serveEcho(paths, { openapi, components: { schemas } });
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(`${server.baseUrl}/x`, { method: "POST", headers, body: JSON.stringify(value) });
      const { body, message: got } = (await response.json()) as { body?: unknown; message?: string };
      expect([got, body]).toEqual([message, message === undefined ? value : undefined]);
    });
  },
);

test("children are validated in responses", async () => {
  const responses = { 200: { description: "", content: { "application/json": { schema: ref("Pet") } } } };
  const paths = { "/x": { get: { operationId: "x", responses } } };
  const document = readableDocument({ openapi: "3.1.0", paths, components: { schemas } });
  const { response } = responseCheck(document, operationsOf(document)[0]!);
  const violationsOf = (body: unknown) => response({ status: 200, contentType: "application/json", body });
  expect(violationsOf({ kind: "Dog", bark: true })).toEqual([]);
  expect(violationsOf({ kind: "Dog" })).not.toEqual([]);
});
