import type { OpenApiDocument } from "openapi-document";
import type { OpenAPI3 } from "openapi-typescript";
import { describe, expect, test } from "vitest";
import { codeSamples } from "../src/generate/code-samples.ts";
import { withHoverTexts } from "../src/generate/hover-texts.ts";

describe("texts of editors", () => {
  type Node = Record<string, unknown>;

  /** Returns the schema as a field of an object, with its bounds and default in its description. */
  function field(schema: Node, schemas: Node = {}): Node {
    const document = {
      openapi: "3.1.1",
      components: { schemas: { ...schemas, Pet: { properties: { name: schema } } } },
    };
    const { components } = withHoverTexts(document as unknown as OpenAPI3) as unknown as {
      components: { schemas: { Pet: { properties: { name: Node } } } };
    };
    return components.schemas.Pet.properties.name;
  }

  /** Returns the schema as a parameter, with its bounds and default in its description. */
  function parameter(node: Node, schemas: Node = {}): Node {
    const operation = { operationId: "list", parameters: [{ name: "limit", in: "query", ...node }], responses: {} };
    const document = { openapi: "3.1.1", paths: { "/pets": { get: operation } }, components: { schemas } };
    const { paths } = withHoverTexts(document as unknown as OpenAPI3) as unknown as {
      paths: { "/pets": { get: { parameters: [Node] } } };
    };
    return paths["/pets"].get.parameters[0];
  }

  describe("the description of a field", () => {
    test.each<[schema: Node, description: string | undefined]>([
      [{}, undefined],
      [{ type: "string" }, undefined],
      [{ description: " A name.\n" }, "A name."],
      [{ description: "A name.", maxLength: 9 }, "A name. At most 9 characters."],
      [{ minLength: 1 }, "At least 1 characters."],
      [{ minLength: 1, maxLength: 9 }, "1 to 9 characters."],
      [{ minItems: 1, maxItems: 9 }, "1 to 9 items."],
      [{ maxItems: 9 }, "At most 9 items."],
      [{ minItems: 1 }, "At least 1 items."],
      [{ minimum: 0, maximum: 9 }, "0 to 9."],
      [{ maximum: 9 }, "At most 9."],
      [{ minimum: 0 }, "At least 0."],
      [{ exclusiveMinimum: 0, exclusiveMaximum: 9 }, "More than 0. Less than 9."],
      [{ exclusiveMinimum: true, exclusiveMaximum: true }, undefined],
      [{ multipleOf: 2 }, "A multiple of 2."],
      [{ minimum: "0", maximum: "9", multipleOf: "2" }, undefined],
      [{ default: "a" }, undefined],
    ])("of %o", (schema, description) => {
      expect(field(schema)).toStrictEqual({ ...schema, ...(description !== undefined && { description }) });
    });

    test("contains the description behind its reference, unless it has its own", () => {
      const schemas = { Name: { description: "A name.", maxLength: 9, default: "Rex" } };
      const $ref = "#/components/schemas/Name";
      expect(field({ $ref }, schemas)).toEqual({ $ref, description: "A name. At most 9 characters.", default: "Rex" });
      expect(field({ $ref, description: "Its name.", maxLength: 5 }, schemas)).toEqual({
        $ref,
        description: "Its name. At most 5 characters.",
        maxLength: 5,
        default: "Rex",
      });
    });
  });

  describe("the description of a parameter", () => {
    test.each<[node: Node, description: string | undefined]>([
      [{}, undefined],
      [{ schema: { type: "integer" } }, undefined],
      [{ schema: { description: "A number." } }, "A number."],
      [{ description: "How many.", schema: { description: "A number.", minimum: 1 } }, "How many. At least 1."],
      [{ schema: { default: 20 } }, "Default: 20."],
      [{ schema: { maximum: 100, default: "a" } }, 'At most 100. Default: "a".'],
    ])("of %o", (node, description) => {
      const expected = { name: "limit", in: "query", ...node, ...(description !== undefined && { description }) };
      expect(parameter(node)).toEqual(expected);
    });

    test("contains the bounds and the default behind the reference of its schema", () => {
      const schema = { $ref: "#/components/schemas/Limit" };
      const { description } = parameter({ schema }, { Limit: { minimum: 1, maximum: 9, default: 5 } });
      expect(description).toBe("1 to 9. Default: 5.");
    });
  });

  test("values that only look like fields, parameters or schemas are not changed, nor is the original document", () => {
    const value = { properties: { name: { maxLength: 9 } }, in: "query", name: "limit", schema: { maximum: 9 } };
    const schema = { const: value, default: value, enum: [value], example: value, examples: [value] };
    const others = {
      Named: { name: "limit", maximum: 9 },
      Unnamed: { in: "query", schema: { maximum: 9 } },
      Unplaced: { name: "limit", schema: { maximum: 9 } },
      Placed: { in: "query", maximum: 9 },
      Odd: { properties: null },
    };
    const document = { openapi: "3.1.1", components: { schemas: { Any: schema, ...others } } } as unknown as OpenAPI3;
    expect(withHoverTexts(document)).toEqual(document);

    const list = { openapi: "3.1.1", components: { schemas: { List: { properties: { all: { maxItems: 9 } } } } } };
    const before = structuredClone(list);
    expect(withHoverTexts(list as unknown as OpenAPI3)).not.toEqual(before);
    expect(list).toEqual(before);
  });

  test("a field may have the name of a keyword", () => {
    const named = (properties: Node) => ({ Any: { properties } });
    const schemas = named({
      properties: { default: null },
      default: { properties: { enum: { maximum: 9 } } },
      name: {},
    });
    const document = { openapi: "3.1.1", components: { schemas } } as unknown as OpenAPI3;
    const enumerated = { enum: { maximum: 9, description: "At most 9." } };
    expect(withHoverTexts(document).components?.schemas).toEqual(
      named({ properties: { default: null }, default: { properties: enumerated }, name: {} }),
    );
  });

  test("a schema that contains itself gets each text once", () => {
    const $ref = "#/components/schemas/Tree";
    const Tree = { description: "A tree.", properties: { next: { $ref } } };
    const document = { openapi: "3.1.1", components: { schemas: { Tree } } } as unknown as OpenAPI3;
    expect(withHoverTexts(document).components?.schemas).toEqual({
      Tree: { description: "A tree.", properties: { next: { $ref, description: "A tree." } } },
    });
  });

  test("a header that several responses share gets each text once", () => {
    const schema = { properties: { ids: { maxItems: 9 } } };
    const headers = { "X-Id": { $ref: "#/components/headers/Id" } };
    const operation = { responses: { "200": { headers }, "201": { headers } } };
    const document = {
      openapi: "3.1.1",
      paths: { "/pets": { get: operation } },
      components: { headers: { Id: { schema } } },
    };
    expect(JSON.stringify(withHoverTexts(document as unknown as OpenAPI3))).not.toContain("At most 9 items. At most");
  });

  test("referenced response headers replace their references", () => {
    const header = { description: "An id.", schema: { type: "string" } };
    const operation = { responses: { "200": { headers: { "X-Id": { $ref: "#/components/headers/Id" } } } } };
    const document = {
      openapi: "3.1.1",
      paths: { "/pets": { get: operation } },
      components: { headers: { Id: header } },
    };
    expect(withHoverTexts(document as unknown as OpenAPI3).paths).toEqual({
      "/pets": { get: { responses: { "200": { headers: { "X-Id": header } } } } },
    });
  });
});

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
