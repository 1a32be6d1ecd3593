import {
  answer,
  body,
  type ChangeKind,
  contract,
  document,
  field,
  type Json,
  json,
  limit,
  NAME,
  OK,
  operation,
  query,
  servers,
  STRING,
} from "./change-kind.ts";

const SAME: Pick<ChangeKind, "messages" | "at"> = {
  messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
  at: ["nowhere"],
};

const KEY = { type: "apiKey", in: "header", name: "X-Key" };
const secured = (name: string) => ({
  ...contract({ security: [{ [name]: [] }] }),
  components: { securitySchemes: { [name]: KEY } },
});
const read = { get: { responses: { "200": OK } } };
const form = (schema: Json) => ({ requestBody: { content: { "application/x-www-form-urlencoded": { schema } } } });
const version = (openapi: string, schema: Json) =>
  contract({ openapi, paths: { "/pets": { post: { requestBody: json(schema), responses: {} } } } });
const image = (schema: Json) => ({ requestBody: { content: { "image/png": { schema } } } });
const items = (schema: Json) => ({
  responses: { "200": { ...OK, content: { "application/jsonl": { itemSchema: schema } } } },
});

/** The changes of the notation, which change nothing on the wire, and those that look like one. */
export const NOTATIONS: Record<string, ChangeKind> = {
  "a default port and the case of a host are written": {
    ...servers([{ url: "https://shop.example/v1" }], [{ url: "https://Shop.Example:443/v1" }]),
    ...SAME,
  },
  "the default dialect of schemas is named": {
    ...document({}, { jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base" }),
    ...SAME,
  },
  "the case of a server's path changes": {
    ...servers([{ url: "https://shop.example/v1" }], [{ url: "https://shop.example/V1" }]),
    messages: [
      'breaking servers: The server "https://shop.example/v1" is removed. Clients call it today.',
      'additive servers: The server "https://shop.example/V1" is added. Clients need not call it.',
    ],
    at: ["servers", "servers"],
  },
  "a prefix of the paths moves into the servers": {
    ...document(
      { servers: [{ url: "https://a.example" }, { url: "https://b.example" }], paths: { "/v1/pets": read } },
      { servers: [{ url: "https://a.example/v1" }, { url: "https://b.example/v1" }], paths: { "/pets": read } },
    ),
    ...SAME,
  },
  "a prefix of the paths moves into one of two servers": {
    ...document(
      { servers: [{ url: "https://a.example" }, { url: "https://b.example" }], paths: { "/v1/pets": read } },
      { servers: [{ url: "https://a.example/v1" }, { url: "https://b.example" }], paths: { "/pets": read } },
    ),
    messages: [
      'breaking servers: The server "https://a.example" is removed. Clients call it today.',
      'additive servers: The server "https://a.example/v1" is added. Clients need not call it.',
      "breaking GET /v1/pets: The operation is removed. Clients that call it get 404 or 405.",
      "additive GET /pets: The operation is added. Clients need not call it.",
    ],
    at: ["servers", "servers", "nowhere", "paths//pets/get"],
  },
  "a security scheme is renamed": { before: secured("key"), after: secured("apiKey"), ...SAME },
  "a charset and the case of a media type are written": {
    ...operation(
      { requestBody: json(NAME) },
      { requestBody: { content: { 'Application/JSON; charset="UTF-8"': json(NAME).content["application/json"] } } },
    ),
    ...SAME,
  },
  "binary and byte of OpenAPI 3.0 are written as in 3.1": {
    before: version("3.0.3", field({ type: "string", format: "byte" })),
    after: version("3.1.1", field({ type: "string", contentEncoding: "base64" })),
    ...SAME,
  },
  "a body of bytes of OpenAPI 3.0 is written as in 3.1": {
    ...operation(image({ type: "string", format: "binary", title: "A" }), image({ title: "A" })),
    ...SAME,
  },
  "a body of base64 becomes one of bytes": {
    ...operation(image({ type: "string", format: "byte" }), image({})),
    messages: [
      "additive POST /pets: Request body: the type changes from string to any. Widens the request: the service accepts more.",
    ],
    at: ["nowhere"],
  },
  "a body of a number becomes one of bytes": {
    ...operation(image({ type: "integer" }), image({})),
    messages: [
      "additive POST /pets: Request body: the type changes from integer to any. Widens the request: the service accepts more.",
    ],
    at: ["nowhere"],
  },
  "the keys of an object are in another order, beside a new title": {
    ...operation(
      { requestBody: { content: { "application/xml": { schema: { ...STRING, xml: { name: "a", prefix: "b" } } } } } },
      {
        requestBody: {
          content: { "application/xml": { schema: { xml: { prefix: "b", name: "a" }, title: "A", ...STRING } } },
        },
      },
    ),
    messages: [
      "documentation POST /pets: `title` of requestBody/content/application/xml/schema is added. A description promises nothing.",
    ],
    at: ["requestBody/content/application/xml/schema/title"],
  },
  "the names of XML change in JSON": { ...body(NAME, { ...NAME, xml: { name: "pet" } }), ...SAME },
  "a hint for forms is added": { ...body(STRING, { ...STRING, format: "password" }), ...SAME },
  "a schema is named by an anchor": { ...body(STRING, { ...STRING, $anchor: "name" }), ...SAME },
  "false is written as a negation": { ...answer(field(false), field({ not: {} })), ...SAME },
  "an enum is written as a oneOf of consts": {
    ...body({ enum: ["a", "b"] }, { oneOf: [{ const: "a" }, { const: "b", title: "B" }] }),
    ...SAME,
  },
  "a value is added to a oneOf of consts": {
    ...answer({ oneOf: [{ const: "a" }] }, { oneOf: [{ const: "a" }, { const: "b" }] }),
    messages: [
      "breaking POST /pets: Response 200: the alternative string is added. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/oneOf"],
  },
  "a field is added to a member of an overlapping oneOf": {
    ...body(
      { oneOf: [NAME, field({ type: "integer" })] },
      { oneOf: [{ ...NAME, properties: { ...NAME.properties, age: {} } }, field({ type: "integer" })] },
    ),
    messages: ['additive POST /pets: Request body, field "age" is added. Clients need not send it.'],
    at: ["requestBody/content/application/json/schema/oneOf/0/properties/age"],
  },
  "a field of a request becomes false": {
    ...body(field(STRING), field(false)),
    messages: [
      'breaking POST /pets: Request body, field "name": no value is valid any more. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["nowhere"],
  },
  "a field of a response becomes false": {
    ...answer(field(STRING), field(false)),
    messages: [
      'additive POST /pets: Response 200, field "name": no value is valid any more. Narrows the response: the service promises more.',
    ],
    at: ["nowhere"],
  },
  "a field of a request is no longer false": {
    ...body(field(false), field(STRING)),
    messages: [
      'additive POST /pets: Request body, field "name": values become valid where none was. Widens the request: the service accepts more.',
    ],
    at: ["nowhere"],
  },
  "items become false": {
    ...body({ type: "array" }, { type: "array", items: false }),
    messages: [
      "breaking POST /pets: Request body: `maxItems` 0 is added. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/items"],
  },
  "an integer of a parameter becomes a string": {
    ...query([limit({}, { type: "integer" })], [limit({}, { type: "string" })]),
    messages: [
      'additive POST /pets: Query parameter "limit": the type changes from integer to string. Widens the request: the service accepts more.',
    ],
    at: ["parameters/0/schema/type"],
  },
  "a string of a parameter becomes an exploded array": {
    ...query([limit({}, STRING)], [limit({}, { type: "array", items: STRING })]),
    messages: [
      'additive POST /pets: Query parameter "limit": the type changes from string to array. Widens the request: the service accepts more.',
    ],
    at: ["parameters/0/schema/type"],
  },
  "a string of a header becomes an array": {
    ...query([limit({ in: "header" }, STRING)], [limit({ in: "header" }, { type: "array", items: STRING })]),
    messages: [
      'breaking POST /pets: Header parameter "limit": the type changes from string to array. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/schema/type"],
  },
  "an integer of a form becomes a string": {
    ...operation(form(field({ type: "integer" })), form(field({ type: "string" }))),
    messages: [
      'additive POST /pets: Request body, field "name": the type changes from integer to string. Widens the request: the service accepts more.',
    ],
    at: ["requestBody/content/application/x-www-form-urlencoded/schema/properties/name/type"],
  },
  "an object within a form is JSON": {
    ...operation(form(field(field({ type: "integer" }))), form(field(field({ type: "string" })))),
    messages: [
      'breaking POST /pets: Request body, field "name.name": the type changes from integer to string. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["requestBody/content/application/x-www-form-urlencoded/schema/properties/name/properties/name/type"],
  },
  "the items of a sequence widen": {
    ...operation(items(STRING), items({ type: "string" })),
    messages: [
      'breaking POST /pets: Response 200, field "[]": `maxLength` 9 is removed. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "a response may have fields of a pattern": {
    ...answer({ patternProperties: { "^x-": false } }, { patternProperties: { "^x-": STRING } }),
    messages: ['additive POST /pets: Response 200, field "/^x-/" is added. Clients ignore unknown fields.'],
    at: ["nowhere"],
  },
};
