import { type OpenApiDocument, operationsOf } from "openapi-document";
import { describe, expect, test } from "vitest";
import { aliasesOf, tagOf } from "../src/generate/aliases.ts";
import { basePathOf } from "openapi-contract/bundle";
import { curlExample, curlExamples } from "../src/generate/curl-examples.ts";

const RESPONSES = { 200: { description: "" } };

function documentOf(paths: object, more: object = {}): OpenApiDocument {
  return { openapi: "3.1.1", paths, ...more };
}

test("names that are no identifiers have no alias, and hyphenated operationIds one in camel case", () => {
  const document = documentOf(
    { "/items": { get: { operationId: "get-items", responses: RESPONSES } } },
    { components: { schemas: { "a.b": {}, delete: {}, components: {}, Item: {}, GetItemsInput: {} } } },
  );
  const text = aliasesOf(document);
  expect(text.match(/^export type \w+/gm)).toEqual([
    "export type Item",
    "export type GetItemsInput",
    "export type GetItemsOutput",
  ]);
  expect(text).toContain('export type GetItemsOutput = OutputOf<operations["get-items"]>;');
  expect(text).toContain('"items": "get-items";');
});

test("an operation with an empty operationId has no alias, since it has no type", () => {
  const text = aliasesOf(documentOf({ "/items": { get: { operationId: "", responses: RESPONSES } } }));
  expect(text).not.toMatch(/^export type \w+put\b/m);
  expect(text).toContain('"items": "GET /items";');
});

// As in the contract of Amazon S3 Glacier.
test("only the types that aliases refer to are imported", () => {
  const paths = { "/items": { get: { operationId: "getItems", responses: RESPONSES } } };
  const text = aliasesOf(documentOf(paths, { components: { schemas: { GetItemsInput: {} } } }));
  expect(text).toContain('import type { OutputOf } from "openapi-document";');
});

// cspell:ignore Apacta тварини
test.each([
  ["/events/{eventId}", ["Events", "Other"], "Events"],
  ["/events/{eventId}", undefined, "events"],
  ["/{id}/parts", [""], "parts"],
  ["/{id}", [], "General"],
  ["/animals", ["動物"], "動物"],
  ["/тварини", ["🐶"], "тварини"],
])("an operation on %s with the tags %j belongs to %s", (path, tags, tag) => {
  expect(tagOf({ path, operation: { ...(tags && { tags }) } })).toBe(tag);
});

test.each([
  [undefined, ""],
  [[], ""],
  [[{ url: "https://a.example" }], ""],
  [[{ url: "https://a.example/v1/" }, { url: "https://b.example" }], "/v1"],
  [[{ url: "/api//v2" }], "/api/v2"],
  [[{ url: "https://{h}/{base}/x", variables: { h: { default: "a" }, base: { default: "b/c" } } }], "/b/c/x"],
  [[{ url: "{server}/v3" }], "/server/v3"],
])("the base path of the servers %j is %j", (servers, path) => {
  expect(basePathOf({ servers })).toBe(path);
});

describe("with security", () => {
  const components = {
    securitySchemes: {
      key: { type: "apiKey", in: "query", name: "api key" },
      head: { type: "apiKey", in: "header", name: "X-Key" },
      crumb: { type: "apiKey", in: "cookie", name: "sid" },
      user: { type: "http", scheme: "basic" },
      oauth: { type: "oauth2" },
      more: { type: "oauth2" },
    },
  };
  const item = { type: "object", required: ["name"], properties: { name: { type: "string", example: "it's" } } };
  const document = documentOf(
    {
      "/items": {
        get: { operationId: "list", responses: RESPONSES, security: [{ key: [] }] },
        post: {
          operationId: "add",
          security: [{ head: [], crumb: [] }],
          requestBody: { required: true, content: { "application/json": { schema: item } } },
          responses: RESPONSES,
        },
      },
      "/items/{itemId}": { get: { operationId: "fetch", responses: RESPONSES, security: [{ oauth: ["read"] }] } },
      "/items/new": { get: { operationId: "blank", responses: RESPONSES, security: [{ user: [] }, {}] } },
    },
    { components },
  );

  test("the commands send the credentials that the operations require, quoted for a shell", () => {
    expect(curlExamples(document).map(({ curl }) => curl)).toEqual([
      'curl -i "{url}/items?api%20key={key}"',
      String.raw`curl -i -H "X-Key: {key}" -b "sid={key}" -H 'Content-Type: application/json' -d '{"name":"it'\''s"}' {url}/items`,
    ]);
  });

  test("operations whose credentials nothing validates yet come last", () => {
    const locked = { responses: RESPONSES, security: [{ user: [] }] };
    const open = { responses: RESPONSES };
    const body = { content: { "application/json": { schema: item } } };
    const commands = (paths: object) => curlExamples(documentOf(paths, { components })).map(({ curl }) => curl);
    expect(commands({ "/a": { get: locked }, "/b/{id}": { get: open } })).toEqual(["curl -i {url}/b/x"]);
    expect(commands({ "/a": { get: locked, post: { ...open, requestBody: body } } })).toEqual([
      expect.stringContaining(" -d "),
      "curl -i -u user:password {url}/a",
    ]);
  });

  test("the easiest requirement is chosen, and one Authorization header is sent", () => {
    const curlOf = (...security: object[]) =>
      curlExamples(
        documentOf({ "/a": { get: { operationId: "a", responses: RESPONSES, security } } }, { components }),
      ).map(({ curl }) => curl);
    expect(curlOf({ user: [] }, { head: [] })).toEqual(['curl -i -H "X-Key: {key}" {url}/a']);
    expect(curlOf({ user: [] }, { oauth: [] }, {})).toEqual(["curl -i {url}/a"]);
    expect(curlOf({ oauth: ["a"], more: ["b"] }, { user: [] })).toEqual([
      'curl -i -H "Authorization: Bearer $TOKEN" {url}/a',
    ]);
  });

  test("an example may be in another operation", () => {
    const schema = { $ref: "#/paths/~1a/get/parameters/0/schema" };
    const parameter = { name: "size", in: "query", required: true };
    const first = {
      operationId: "first",
      parameters: [{ ...parameter, schema: { const: "big" } }],
      responses: RESPONSES,
    };
    const second = { operationId: "second", parameters: [{ ...parameter, schema }], responses: RESPONSES };
    const shared = documentOf({ "/a": { get: first }, "/b": { get: second } });
    const [, entry] = operationsOf(shared);
    expect(curlExample(shared, entry!)).toBe('curl -i "{url}/b?size=big"');
  });
});
