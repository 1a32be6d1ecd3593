import { expect, test } from "vitest";
import { compilableTypes, documentForTypes } from "../src/openapi-typescript/request-defaults.ts";

test("recursive arrays and operationIds are found, however the compiler writes their names", () => {
  const name = 'a"\\\u00001\v\u2028é';
  const items = { $ref: `#/components/schemas/${encodeURIComponent(name)}` };
  const schemas = { [name]: { anyOf: [{ type: "string" }, { type: "array", items }] } };
  const paths = { "/": { get: { operationId: `${name}#b` } } };
  const literal = String.raw`"a\"\\\x001\v\u2028\u00E9"`;
  const types = compilableTypes(`a: components["schemas"][${literal}][];\nb: ${literal.slice(0, -1)}/b";\n`, {
    openapi: "3.1.1",
    paths,
    components: { schemas },
  });
  expect(types).toContain(`a: ArrayOf<${literal}>;\nb: ${JSON.stringify(`${name}#b`)};\n`);
});

test("an allOf has no objects without fields in the copy for types, because they would exclude all fields", () => {
  const name = { type: "object", properties: { name: { type: "string" } } };
  const schemas = {
    Hidden: { type: "object", required: ["id"], properties: { id: { type: "string", readOnly: true } } },
    Closed: { allOf: [{ type: "object", additionalProperties: false }, name] },
    Only: { allOf: [{ $ref: "#/components/schemas/Hidden" }] },
    Pet: { type: "object", allOf: [{ $ref: "#/components/schemas/Hidden" }, { type: "object" }, {}, name] },
  };
  const refs = Object.keys(schemas).map((schema) => ({ $ref: `#/components/schemas/${schema}` }));
  const requestBody = { content: { "application/json": { schema: { oneOf: refs } } } };
  const document = {
    openapi: "3.1.1",
    paths: { "/": { put: { requestBody, responses: {} } } },
    components: { schemas },
  };
  const { components } = documentForTypes(document);
  expect(components.schemas).toEqual({
    Hidden: { type: "object", required: [], properties: {} },
    Closed: schemas.Closed,
    Only: { type: "object", allOf: [] },
    Pet: { type: "object", allOf: [{}, name] },
  });
});

test("schemas that are referenced in other places get names, and what an example refers to gets none", () => {
  const example = [{ query: "a" }];
  const schemas = { Search: { type: "array", items: { type: "object" }, example } };
  const $ref = "#/components/schemas/Search";
  const content = { schema: { $ref: `${$ref}/items` }, examples: { one: { $ref: `${$ref}/example` } } };
  const copy = documentForTypes({
    openapi: "3.0.3",
    paths: { "/": { put: { requestBody: { content: { "application/json": content } }, responses: {} } } },
    components: { schemas },
  });
  expect(Object.keys(copy.components.schemas)).toEqual(["Search", "components_schemas_Search_items"]);
});
