import { expect, test } from "vitest";
import { withRequestDefaultsRequired } from "../src/openapi-typescript/request-defaults.ts";

const large = 2 ** 53;

test.each<[schema: object, typed: object]>([
  [{ type: "integer", enum: [1, large] }, { type: "integer" }],
  [{ type: ["integer", "null"], const: -large }, { type: ["integer", "null"] }],
  [{ enum: ["a", null, 0.5, large] }, { type: ["string", "null", "number", "integer"] }],
  [{ const: { size: [large] } }, {}],
  [{ type: "integer", default: large }, { type: "integer" }],
  [{ properties: { default: { enum: [large] } } }, { properties: { default: { type: ["integer"] } } }],
  ...[{ enum: [1, large - 1] }, { type: "number", const: 0.5, default: 1 }, { enum: [`${large}`], maximum: large }].map(
    (schema): [object, object] => [schema, schema],
  ),
])("the types of %j have no integer that JavaScript has rounded", (schema, typed) => {
  const copy = withRequestDefaultsRequired({ openapi: "3.1.1", components: { schemas: { Size: schema } } });
  expect(copy.components.schemas.Size).toEqual(typed);
});

test("a field with a large integer as its default is required in requests", () => {
  const schema = { type: "object", properties: { size: { type: "integer", default: large } } };
  const put = { operationId: "put", requestBody: { content: { "application/json": { schema } } }, responses: {} };
  const { paths } = withRequestDefaultsRequired({ openapi: "3.1.1", paths: { "/": { put } } });
  expect(paths["/"].put.requestBody.content["application/json"].schema).toEqual({
    type: "object",
    required: ["size"],
    properties: { size: { type: "integer" } },
  });
});
