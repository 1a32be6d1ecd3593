import type { OpenApiDocument } from "openapi-document";
import { expect, test } from "vitest";
import { codeSamples } from "../src/generate/code-samples.ts";

const NAME = { name: "id", in: "path", required: true, schema: { type: "string" }, example: "a/b" };
const COUNT = { name: "count", in: "query", required: true, schema: { type: "integer" }, example: 2 };
const FIELDS = { type: "object", additionalProperties: false, properties: { name: { type: "string" } } };
const json = (schema: object, example: unknown) => ({
  required: true,
  content: { "application/json": { schema, example } },
});
const responses = { default: { description: "Any." } };

const LIBRARY = {
  openapi: "3.1.0",
  info: { title: "Library", version: "1.0.0" },
  security: [{ key: [] }],
  paths: {
    "/books/{id}": {
      get: { operationId: "getBook", parameters: [NAME, COUNT], responses },
      put: { operationId: "putBook", parameters: [NAME], requestBody: json(FIELDS, { name: 'Zoë "S"' }), responses },
      patch: { operationId: "patchBook", parameters: [NAME], requestBody: json({ type: "array" }, [1]), responses },
      delete: { operationId: "delete", parameters: [NAME], responses },
    },
    "/covers": {
      post: {
        operationId: "addCover",
        requestBody: { content: { "image/png": { schema: {} } } },
        responses,
      },
      get: { operationId: "list-covers", security: [], responses },
    },
    "/hidden": { get: { operationId: "getHidden", responses } },
    "/renamed": { get: { operationId: "renamed", responses } },
  },
  components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
} as unknown as OpenApiDocument;

const CLIENT = {
  package: "@town/client",
  name: "TownLibrary",
  security: { key: "apiKey" },
  operations: { getHidden: false, renamed: { name: "other" } },
} as const;

test("a sample creates the client with the operation's credentials, and calls it", () => {
  expect(codeSamples(LIBRARY, CLIENT)["GET /books/{id}"]).toEqual([
    {
      lang: "typescript",
      label: "@town/client",
      source: `import { createTownLibrary } from "@town/client";

const townLibrary = createTownLibrary({
  baseUrl: process.env.TOWN_LIBRARY_URL!,
  apiKey: process.env.TOWN_LIBRARY_KEY!,
});
const result = await townLibrary.getBook({ id: "a/b", count: 2 });
if (result.ok) console.log(result.data);
else console.error(result.status, result.error);`,
    },
    {
      lang: "shell",
      label: "curl",
      source: `curl -i -H "X-Key: $TOWN_LIBRARY_KEY" "$TOWN_LIBRARY_URL/books/a%2Fb?count=2"`,
    },
  ]);
});

test.each([
  ["PUT /books/{id}", 'putBook({\n  id: "a/b",\n  name: "Zoë \\"S\\"",\n})'],
  ["PATCH /books/{id}", 'patchBook({ id: "a/b", body: [1] })'],
  ["DELETE /books/{id}", 'DELETE("/books/{id}", {\n  params: { path: { id: "a/b" } },\n})'],
  ["GET /covers", 'GET("/covers")'],
  ["GET /renamed", "other()"],
])("the sample of %s calls %s", (operation, call) => {
  const [sample] = codeSamples(LIBRARY, CLIENT)[operation]!;
  expect(sample!.source).toContain(`await townLibrary.${call};\n`);
});

test("without a client, there is curl alone", () => {
  const [sample, ...others] = codeSamples(LIBRARY, undefined)["GET /covers"]!;
  expect([sample!.source, others]).toEqual(["curl -i $API_URL/covers", []]);
});

test("operations without a call of the client, or with a body that is not JSON, have curl alone", () => {
  const samples = codeSamples(LIBRARY, CLIENT);
  expect(samples["GET /hidden"]!.map(({ label }) => label)).toEqual(["curl"]);
  expect(samples["POST /covers"] ?? []).not.toContainEqual(expect.objectContaining({ label: "@town/client" }));
});
