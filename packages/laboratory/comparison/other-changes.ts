import { callback, contract, hook, json, type Json, object, OK, parameter, TEXT, WHOLE } from "./parts.ts";

const KEY = { type: "apiKey", in: "header", name: "X-Key" };
const request = (schema: unknown) => contract({ requestBody: json(schema) });
const response = (schema: unknown) => contract({ responses: { "200": { ...OK, ...json(schema) } } });
const called = (schema: unknown) => hook({ requestBody: json(schema) });
const served = (...urls: string[]) => contract({}, { servers: urls.map((url) => ({ url })) });
const secured = (security: Json[], schemes: Json) =>
  contract({ security }, { components: { securitySchemes: schemes } });
const version = (openapi: string, schema: unknown, type?: string) =>
  contract({ requestBody: json(schema, type) }, { openapi });
const at = (path: string, ...urls: string[]) =>
  contract({}, { servers: urls.map((url) => ({ url })), paths: { [path]: { get: { responses: { "200": OK } } } } });
const flow = (name: string) => ({
  oauth: {
    type: "oauth2",
    flows: {
      clientCredentials: { tokenUrl: "https://a.example/t", scopes: { read: "" } },
      ...(name && {
        [name]: { deviceAuthorizationUrl: "https://a.example/d", tokenUrl: "https://a.example/t", scopes: {} },
      }),
    },
  },
});
const refreshed = {
  oauth: {
    type: "oauth2",
    flows: {
      clientCredentials: { tokenUrl: "https://a.example/t", refreshUrl: "https://a.example/r", scopes: { read: "" } },
    },
  },
};
const variable = (values?: string[]) =>
  contract(
    {},
    {
      servers: [{ url: "https://{at}.example", variables: { at: { default: "a", ...(values && { enum: values }) } } }],
    },
  );
const methods = (item: Json) => contract({}, { openapi: "3.2.0", paths: { "/items": item } });
const query = (schema: Json) => methods({ query: { responses: { "200": OK }, requestBody: json(schema) } });
const GET = { get: { responses: { "200": OK } } };
const COPY = { COPY: { responses: { "200": OK } } };
const events = (itemSchema: Json) =>
  contract({ responses: { "200": { ...OK, content: { "application/jsonl": { itemSchema } } } } }, { openapi: "3.2.0" });
const PET = (discriminator?: Json) => {
  const of = (kind: string) => object({ kind: { const: kind } }, { required: ["kind"] });
  const choice = {
    oneOf: ["cat", "dog"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
    ...(discriminator && { discriminator }),
  };
  return contract({ requestBody: json(choice) }, { components: { schemas: { cat: of("cat"), dog: of("dog") } } });
};

/** Changes of other parts of a contract: whether they break, before and after. */
export const OTHER_CHANGES: [isBreaking: boolean, kind: string, before: Json, after: Json][] = [
  [false, "an optional field is added to a request", request(object({})), request(object({ a: TEXT }))],
  [
    true,
    "a required field is added to a request",
    request(object({})),
    request(object({ a: TEXT }, { required: ["a"] })),
  ],
  [true, "a field is removed from a request", request(object({ a: TEXT })), request(object({}))],
  [false, "a field is added to a response", response(object({})), response(object({ a: TEXT }))],
  [true, "a field is removed from a response", response(object({ a: TEXT })), response(object({}))],
  [false, "a field is added to a webhook", called(object({})), called(object({ a: TEXT }))],
  [
    false,
    "a required field is added to a webhook",
    called(object({})),
    called(object({ a: TEXT }, { required: ["a"] })),
  ],
  [true, "a field is removed from a webhook", called(object({ a: TEXT })), called(object({}))],
  [
    true,
    "a request is closed",
    request(object({ a: TEXT })),
    request(object({ a: TEXT }, { additionalProperties: false })),
  ],
  [
    false,
    "a request is opened",
    request(object({ a: TEXT }, { additionalProperties: false })),
    request(object({ a: TEXT })),
  ],
  [
    false,
    "a response is opened",
    response(object({ a: TEXT }, { additionalProperties: false })),
    response(object({ a: TEXT })),
  ],
  [
    true,
    "a default of a request changes",
    request(object({ a: { ...TEXT, default: "a" } })),
    request(object({ a: { ...TEXT, default: "b" } })),
  ],
  [
    true,
    "a field of a request becomes readOnly",
    request(object({ a: TEXT })),
    request(object({ a: { ...TEXT, readOnly: true } })),
  ],
  [
    true,
    "a field of a response becomes writeOnly",
    response(object({ a: TEXT })),
    response(object({ a: { ...TEXT, writeOnly: true } })),
  ],
  [
    false,
    "a field is added to a member of an overlapping oneOf",
    request({ oneOf: [object({ a: TEXT }), object({ b: TEXT })] }),
    request({ oneOf: [object({ a: TEXT, c: TEXT }), object({ b: TEXT })] }),
  ],
  [
    false,
    "a string becomes an exploded array",
    parameter("query", TEXT),
    parameter("query", { type: "array", items: TEXT }),
  ],
  [
    true,
    "an exploded array becomes a string",
    parameter("query", { type: "array", items: TEXT }),
    parameter("query", TEXT),
  ],
  [true, "a parameter allows nothing", parameter("query", TEXT), parameter("query", false)],
  [
    true,
    "a JSON parameter becomes a string",
    contract({ parameters: [{ name: "x", in: "query", ...json(WHOLE) }] }),
    contract({ parameters: [{ name: "x", in: "query", ...json(TEXT) }] }),
  ],
  [false, "an optional parameter is added", contract({}), parameter("query", TEXT)],
  [
    true,
    "a required parameter is added",
    contract({}),
    contract({ parameters: [{ name: "x", in: "query", required: true, schema: TEXT }] }),
  ],
  [true, "a parameter is removed", parameter("query", TEXT), contract({})],
  [
    false,
    "the default style is written",
    parameter("query", WHOLE),
    contract({ parameters: [{ name: "x", in: "query", style: "form", explode: true, schema: WHOLE }] }),
  ],
  [
    true,
    "an object within a form becomes text",
    contract({ requestBody: json(object({ x: object({ a: WHOLE }) }), "multipart/form-data") }),
    contract({ requestBody: json(object({ x: object({ a: TEXT }) }), "multipart/form-data") }),
  ],
  [false, "a webhook is added", contract({}), hook({})],
  [true, "a webhook is removed", hook({}), contract({})],
  [false, "a webhook accepts another status", hook({}), hook({ responses: { "200": OK, "202": OK } })],
  [true, "a webhook no longer accepts a status", hook({ responses: { "200": OK, "202": OK } }), hook({})],
  [
    false,
    "a webhook sends another header",
    hook({}),
    hook({ parameters: [{ name: "x", in: "header", required: true, schema: TEXT }] }),
  ],
  [
    true,
    "a webhook no longer sends a header",
    hook({ parameters: [{ name: "x", in: "header", schema: TEXT }] }),
    hook({}),
  ],
  [
    true,
    "a header of a webhook becomes optional",
    hook({ parameters: [{ name: "x", in: "header", required: true, schema: TEXT }] }),
    hook({ parameters: [{ name: "x", in: "header", schema: TEXT }] }),
  ],
  [
    true,
    "a webhook sends another media type",
    called(TEXT),
    hook({ requestBody: { content: { ...json(TEXT).content, "text/csv": {} } } }),
  ],
  [
    true,
    "the reply to a webhook must have a field",
    hook({ responses: { "200": { ...OK, ...json(object({ a: TEXT })) } } }),
    hook({ responses: { "200": { ...OK, ...json(object({ a: TEXT }, { required: ["a"] })) } } }),
  ],
  [true, "a callback is removed", callback({}), contract({})],
  [false, "a method QUERY is added", methods(GET), methods({ ...GET, query: { responses: { "200": OK } } })],
  [true, "a method QUERY is removed", methods({ ...GET, query: { responses: { "200": OK } } }), methods(GET)],
  [true, "the body of QUERY narrows", query(TEXT), query({ ...TEXT, maxLength: 1 })],
  [false, "the body of QUERY widens", query({ ...TEXT, maxLength: 1 }), query(TEXT)],
  [false, "an additional operation is added", methods(GET), methods({ ...GET, additionalOperations: COPY })],
  [true, "an additional operation is removed", methods({ ...GET, additionalOperations: COPY }), methods(GET)],
  [true, "an item of a sequence widens", events({ ...TEXT, maxLength: 1 }), events(TEXT)],
  [false, "an item of a sequence narrows", events(TEXT), events({ ...TEXT, maxLength: 1 })],
  [
    false,
    "the device flow is added",
    secured([{ oauth: [] }], flow("")),
    { ...secured([{ oauth: [] }], flow("deviceAuthorization")) },
  ],
  [
    true,
    "the device flow is removed",
    secured([{ oauth: [] }], flow("deviceAuthorization")),
    secured([{ oauth: [] }], flow("")),
  ],
  [
    true,
    "a sunset moves nearer",
    contract({ deprecated: true, "x-sunset": "2030-01-01" }),
    contract({ deprecated: true, "x-sunset": "2029-01-01" }),
  ],
  [
    false,
    "a sunset moves away",
    contract({ deprecated: true, "x-sunset": "2029-01-01" }),
    contract({ deprecated: true, "x-sunset": "2030-01-01" }),
  ],
  [
    true,
    "the sunset of a parameter moves nearer",
    contract({ parameters: [{ name: "x", in: "query", deprecated: true, "x-sunset": "2030-01-01", schema: TEXT }] }),
    contract({ parameters: [{ name: "x", in: "query", deprecated: true, "x-sunset": "2029-01-01", schema: TEXT }] }),
  ],
  [false, "an operation is deprecated", contract({}), contract({ deprecated: true })],
  [false, "a default port is written", served("https://a.example/v1"), served("https://a.example:443/v1")],
  [true, "another port is written", served("https://a.example/v1"), served("https://a.example:444/v1")],
  [false, "the case of a host changes", served("https://a.example/v1"), served("https://A.Example/v1")],
  [true, "the case of a path changes", served("https://a.example/v1"), served("https://a.example/V1")],
  [true, "the scheme of a server changes", served("https://a.example:443"), served("http://a.example:443")],
  [false, "a prefix moves into the server", at("/v1/items", "https://a.example"), at("/items", "https://a.example/v1")],
  [
    false,
    "a prefix moves out of the servers",
    at("/items", "https://a.example/v1", "https://b.example/v1"),
    at("/v1/items", "https://a.example", "https://b.example"),
  ],
  [
    true,
    "a prefix moves into one of two servers",
    at("/v1/items", "https://a.example", "https://b.example"),
    at("/items", "https://a.example/v1", "https://b.example"),
  ],
  [true, "a prefix is added to the server", at("/items", "https://a.example"), at("/items", "https://a.example/v1")],
  [false, "a scheme is renamed", secured([{ key: [] }], { key: KEY }), secured([{ apiKey: [] }], { apiKey: KEY })],
  [
    true,
    "a scheme is renamed and moves",
    secured([{ key: [] }], { key: KEY }),
    secured([{ apiKey: [] }], { apiKey: { ...KEY, name: "Key" } }),
  ],
  [true, "a scheme is required", secured([], { key: KEY }), secured([{ key: [] }], { key: KEY })],
  [false, "a scheme is no longer required", secured([{ key: [] }], { key: KEY }), secured([], { key: KEY })],
  [
    false,
    "byte is base64",
    version("3.0.3", { ...TEXT, format: "byte" }),
    version("3.1.1", { ...TEXT, contentEncoding: "base64" }),
  ],
  [true, "text becomes base64", version("3.1.1", TEXT), version("3.1.1", { ...TEXT, contentEncoding: "base64" })],
  [
    false,
    "binary is a media type in a form",
    version("3.0.3", object({ f: { ...TEXT, format: "binary" } }), "multipart/form-data"),
    version("3.1.1", object({ f: { ...TEXT, contentMediaType: "application/octet-stream" } }), "multipart/form-data"),
  ],
  [
    false,
    "binary is any body",
    version("3.0.3", { ...TEXT, format: "binary" }, "application/octet-stream"),
    version("3.1.1", {}, "application/octet-stream"),
  ],
  [
    false,
    "nullable is a type",
    version("3.0.3", { ...TEXT, nullable: true }),
    version("3.1.1", { type: ["string", "null"] }),
  ],
  [
    false,
    "an exclusive flag is a bound",
    version("3.0.3", { ...WHOLE, minimum: 1, exclusiveMinimum: true }),
    version("3.1.1", { ...WHOLE, exclusiveMinimum: 1 }),
  ],
  [
    true,
    "an exclusive flag is added",
    version("3.0.3", { ...WHOLE, minimum: 1 }),
    version("3.0.3", { ...WHOLE, minimum: 1, exclusiveMinimum: true }),
  ],
  [
    false,
    "a charset is written",
    request(TEXT),
    contract({ requestBody: json(TEXT, "application/json; charset=utf-8") }),
  ],
  [false, "the case of a media type changes", request(TEXT), contract({ requestBody: json(TEXT, "Application/JSON") })],
  [
    true,
    "another charset is written",
    contract({ requestBody: json(TEXT, "text/plain") }),
    contract({ requestBody: json(TEXT, "text/plain; charset=latin1") }),
  ],
  [
    true,
    "the names of XML change in XML",
    contract({ requestBody: json(object({ a: TEXT }), "application/xml") }),
    contract({ requestBody: json(object({ a: { ...TEXT, xml: { attribute: true } } }), "application/xml") }),
  ],
  [false, "a discriminator beside consts is added", PET(), PET({ propertyName: "kind" })],
  [false, "a discriminator beside consts is removed", PET({ propertyName: "kind" }), PET()],
  [true, "a discriminator names another field", PET({ propertyName: "kind" }), PET({ propertyName: "type" })],
  [
    false,
    "a media type is added to a request",
    request(TEXT),
    contract({ requestBody: { content: { ...json(TEXT).content, "text/csv": {} } } }),
  ],
  [
    true,
    "a media type is removed from a request",
    contract({ requestBody: { content: { ...json(TEXT).content, "text/csv": {} } } }),
    request(TEXT),
  ],
  [true, "a status is removed", contract({ responses: { "200": OK, "404": OK } }), contract({})],
  [false, "a status is added", contract({}), contract({ responses: { "200": OK, "404": OK } })],
  [
    true,
    "a request body becomes required",
    request(TEXT),
    contract({ requestBody: { required: true, ...json(TEXT) } }),
  ],
  [true, "an operation is removed", methods({ ...GET, put: GET.get }), methods(GET)],
  [false, "an operation is added", methods(GET), methods({ ...GET, put: GET.get })],
  [false, "a variable of a server has another value", variable(["a"]), variable(["a", "b"])],
  [true, "a variable of a server loses a value", variable(["a", "b"]), variable(["a"])],
  [true, "a variable of a server lists its values", variable(), variable(["a"])],
  [
    false,
    "a flow gets a URL to refresh tokens",
    secured([{ oauth: [] }], flow("")),
    secured([{ oauth: [] }], refreshed),
  ],
  [
    true,
    "a flow loses its URL to refresh tokens",
    secured([{ oauth: [] }], refreshed),
    secured([{ oauth: [] }], flow("")),
  ],
  [
    false,
    "a request accepts a range of media types",
    request(TEXT),
    contract({ requestBody: json(TEXT, "application/*") }),
  ],
  [
    true,
    "a request accepts a range of media types with a narrower schema",
    request(TEXT),
    contract({ requestBody: json({ ...TEXT, maxLength: 1 }, "*/*") }),
  ],
];
