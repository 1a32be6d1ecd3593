import type { OpenApiDocument } from "openapi-document";

/** A kind of change, and the lines that `contract diff` prints for this change. */
export interface ChangeKind {
  before: OpenApiDocument;
  after: OpenApiDocument;
  messages: string[];
  /** The place of each change in the later contract, below `POST /pets` or from the root. */
  at: string[];
}

export type Json = Record<string, unknown>;

export const STRING = { type: "string", maxLength: 9 };
export const INTEGER = { type: "integer", minimum: 1, maximum: 9 };
export const NAME = { type: "object", properties: { name: STRING } };
export const NAMED = { ...NAME, required: ["name"] };
export const CAT = {
  type: "object",
  required: ["kind", "claws"],
  properties: { kind: { const: "cat" }, claws: INTEGER },
};
export const DOG = { type: "object", required: ["kind", "bark"], properties: { kind: { const: "dog" }, bark: STRING } };
export const OK = { description: "Done." };
export const BEARER = { type: "http", scheme: "bearer" };

/** Returns a contract of one operation, `POST /pets`. Undefined parts are left out. */
export function contract(parts: Json): OpenApiDocument {
  const operation = { post: { operationId: "createPet", tags: ["Pets"], responses: { "200": OK } } };
  const document = {
    openapi: "3.1.1",
    info: { title: "Shop", version: "1.0.0" },
    paths: { "/pets": operation },
    ...parts,
  };
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

export function withOperation(operation: Json, components?: Json): OpenApiDocument {
  const post = { operationId: "createPet", tags: ["Pets"], responses: { "200": OK }, ...operation };
  return contract({ paths: { "/pets": { post } }, components });
}

export const operation = (before: Json, after: Json, components?: Json, componentsAfter = components) => ({
  before: withOperation(before, components),
  after: withOperation(after, componentsAfter),
});
export const document = (before: Json, after: Json) => ({ before: contract(before), after: contract(after) });
export const json = (schema: unknown) => ({ content: { "application/json": { schema } } });

/** Returns operations with a request schema before and after a change, or with a response schema. */
export const body = (before: unknown, after: unknown, components?: Json, componentsAfter?: Json) =>
  operation(
    { requestBody: { required: true, ...json(before) } },
    { requestBody: { required: true, ...json(after) } },
    components,
    componentsAfter,
  );
export const answer = (before: unknown, after: unknown, components?: Json, componentsAfter?: Json) =>
  operation(
    { responses: { "200": { ...OK, ...json(before) } } },
    { responses: { "200": { ...OK, ...json(after) } } },
    components,
    componentsAfter,
  );
export const field = (schema: unknown, more: Json = {}) => ({ type: "object", properties: { name: schema }, ...more });
export const query = (before: Json[], after: Json[]) => operation({ parameters: before }, { parameters: after });
export const limit = (more: Json = {}, schema: Json = INTEGER) => ({ name: "limit", in: "query", schema, ...more });
export const header = (before: Json | undefined, after: Json | undefined) =>
  operation(
    { responses: { "200": { ...OK, headers: { ETag: before } } } },
    { responses: { "200": { ...OK, headers: { ETag: after } } } },
  );
export const responses = (before: Json, after: Json) => operation({ responses: before }, { responses: after });
export const servers = (before: Json[], after: Json[]) => document({ servers: before }, { servers: after });
export const EU = { url: "https://eu.shop.example/v1" };
export const US = { url: "https://us.shop.example/v1" };
export const path = (parameter: string, item: Json = {}) => ({
  [`/pets/{${parameter}}`]: {
    get: {
      operationId: "getPet",
      parameters: [{ name: parameter, in: "path", required: true, schema: INTEGER }],
      responses: { "200": OK },
    },
    ...item,
  },
});
export const secured = (before: unknown, after: unknown) =>
  operation({ security: before }, { security: after }, { securitySchemes: { key: BEARER, app: BEARER } });
export const scheme = (before: Json, after: Json) =>
  operation(
    { security: [{ key: [] }] },
    { security: [{ key: [] }] },
    { securitySchemes: { key: before } },
    { securitySchemes: { key: after } },
  );
export const flows = (flow: Json) => ({ type: "oauth2", flows: { clientCredentials: flow } });
export const listed = (values: unknown[]) => ({ type: "string", enum: values });
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const tree = (schema: Json) => ({
  schemas: { Tree: { type: "object", properties: { name: schema, children: { type: "array", items: ref("Tree") } } } },
});
export const called = (schema: Json) => ({
  "{$request.body#/url}": { post: { requestBody: json(schema), responses: { "204": OK } } },
});
