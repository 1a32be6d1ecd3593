/** The parts that the contracts consist of. */
export type Json = Record<string, unknown>;

export const OK = { description: "Done." };
export const TEXT = { type: "string" };
export const WHOLE = { type: "integer" };
export const json = (schema: unknown, type = "application/json") => ({ content: { [type]: { schema } } });
export const object = (properties: Json, more: Json = {}) => ({ type: "object", properties, ...more });

/** Returns a contract of one operation, `POST /items`. */
export function contract(operation: Json, more: Json = {}): Json {
  const post = { operationId: "createItem", tags: ["Items"], responses: { "200": OK }, ...operation };
  const components = { schemas: { Text: TEXT } };
  return {
    openapi: "3.1.1",
    info: { title: "Items", version: "1.0.0" },
    paths: { "/items": { post } },
    components,
    ...more,
  };
}

export const hook = (operation: Json) =>
  contract({}, { webhooks: { sold: { post: { operationId: "sold", responses: { "200": OK }, ...operation } } } });
export const callback = (operation: Json) =>
  contract({ callbacks: { sold: { "{$request.body#/url}": { post: { responses: { "200": OK }, ...operation } } } } });

export const parameter = (location: string, schema: unknown) =>
  contract({ parameters: [{ name: "x", in: location, schema }] });
