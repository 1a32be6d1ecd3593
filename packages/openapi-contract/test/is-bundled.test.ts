import { bundle, createConfig, makeDocumentFromString } from "@redocly/openapi-core";
import type { OpenApiDocument } from "openapi-document";
import { describe, expect, test } from "vitest";
import { inlineExamples } from "../src/bundle.ts";
import { isBundled } from "../src/is-bundled.ts";

const PET = { $ref: "#/components/schemas/Pet" };
const EXAMPLE = { $ref: "#/components/examples/Rex" };

const SCHEMAS = {
  Pet: { type: "object", properties: { $ref: { type: "string" }, example: { type: "string" } } },
  Dog: PET,
  "a/b~c": { type: "string" },
};

type Fields = Record<string, unknown>;

const withSchema = (schema: Fields) => ({ components: { schemas: { ...SCHEMAS, Own: schema } } });
const withMedia = (media: Fields) => ({
  paths: { "/pets": { get: { responses: { "200": { description: "", content: { "application/json": media } } } } } },
});

function documentOf(fields: Fields): OpenApiDocument {
  const components = { schemas: SCHEMAS, examples: { Rex: { value: { name: "Rex" } } } };
  const added = (fields["components"] ?? {}) as Fields;
  const document = { openapi: "3.1.1", info: { title: "", version: "1" }, paths: {}, ...fields };
  return { ...document, components: { ...components, ...added } };
}

async function bundledByRedocly(document: OpenApiDocument): Promise<unknown> {
  const doc = makeDocumentFromString(JSON.stringify(document), "/openapi.json");
  const config = await createConfig({});
  const { bundle: found } = await bundle({ doc, config });
  inlineExamples(found.parsed as OpenApiDocument);
  return found.parsed;
}

describe("a document that needs no bundler is one that Redocly's leaves as it is", () => {
  test.each<[name: string, fields: Fields]>([
    ["without references", {}],
    ["with references to schemas", withSchema({ allOf: [PET], items: PET, properties: { $ref: PET, "x-a": PET } })],
    ["with an alias of a schema", withSchema({ not: { $ref: "#/components/schemas/Dog" } })],
    ["with an escaped reference", withSchema({ not: { $ref: "#/components/schemas/a~1b~0c" } })],
    ["with a named example", withMedia({ schema: PET, examples: { Rex: EXAMPLE, own: { value: { $ref: 1 } } } })],
    ["with a reference in an example", withMedia({ schema: PET, examples: { own: { value: { deep: [PET] } } } })],
    ["whose example is a reference", withSchema({ type: "object", example: EXAMPLE })],
    ["with mappings", withSchema({ discriminator: { propertyName: "a", mapping: { a: PET.$ref, b: "Pet" } } })],
    ["with a reference far below an extension", { "x-a": { b: { c: { d: { $ref: "other.yaml" } } } } }],
    [
      "with webhooks of OpenAPI 3.0",
      { "x-webhooks": { pet: { post: { requestBody: { content: { a: { schema: PET } } } } } } },
    ],
  ])("%s", async (_, fields) => {
    const document = documentOf(fields);
    expect(isBundled(document)).toBe(true);
    const expected = structuredClone(document);
    inlineExamples(expected);
    expect(await bundledByRedocly(document)).toEqual(expected);
  });
});

describe("a document is left to Redocly's bundler", () => {
  test.each<[name: string, fields: Fields]>([
    ["of another version", { openapi: "4.0.0" }],
    ["with a reference to a file", withSchema({ items: { $ref: "pet.yaml" } })],
    ["with a reference that leads nowhere", withSchema({ items: { $ref: "#/components/schemas/None" } })],
    ["with a circle of references", { components: { schemas: { A: { $ref: "#/components/schemas/A" } } } }],
    ["with a reference in place of a map", { components: { schemas: { $ref: "schemas.yaml" } } }],
    ["with a reference in place of text", withSchema({ description: { $ref: "#/info/title" } })],
    ["with a reference in place of a value", withSchema({ default: { $ref: "#/info/title" } })],
    ["with a reference in an extension", { "x-a": { schema: PET } }],
    ["with a reference in a code sample", { "x-codeSamples": [{ source: { $ref: "#/info/title" } }] }],
    ["whose extension is a reference", { "x-a": { $ref: "./a.yaml" } }],
    ["with an example in a file", withMedia({ examples: { a: { externalValue: "a.json" } } })],
    ["with a mapping to a file", withSchema({ discriminator: { propertyName: "a", mapping: { a: "pet.yaml" } } })],
    ["with a mapping to an alias", withSchema({ discriminator: { mapping: { a: "#/components/schemas/Dog" } } })],
  ])("%s", (_, fields) => {
    expect(isBundled(documentOf(fields))).toBe(false);
  });
});
