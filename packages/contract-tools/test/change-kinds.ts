import type { OpenApiDocument } from "express-operations/reading";

/** A kind of change, and the lines that `contract diff` prints for this change. */
export interface ChangeKind {
  before: OpenApiDocument;
  after: OpenApiDocument;
  messages: string[];
  /** The place of each change in the later contract, below `POST /pets` or from the root. */
  at: string[];
}

type Json = Record<string, unknown>;

const STRING = { type: "string", maxLength: 9 };
const INTEGER = { type: "integer", minimum: 1, maximum: 9 };
const NAME = { type: "object", properties: { name: STRING } };
const NAMED = { ...NAME, required: ["name"] };
const CAT = { type: "object", required: ["kind", "claws"], properties: { kind: { const: "cat" }, claws: INTEGER } };
const DOG = { type: "object", required: ["kind", "bark"], properties: { kind: { const: "dog" }, bark: STRING } };
const OK = { description: "Done." };
const BEARER = { type: "http", scheme: "bearer" };

/** Returns a contract of one operation, `POST /pets`. Undefined parts are left out. */
function contract(parts: Json): OpenApiDocument {
  const operation = { post: { operationId: "createPet", tags: ["Pets"], responses: { "200": OK } } };
  const document = {
    openapi: "3.1.1",
    info: { title: "Shop", version: "1.0.0" },
    paths: { "/pets": operation },
    ...parts,
  };
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

function withOperation(operation: Json, components?: Json): OpenApiDocument {
  const post = { operationId: "createPet", tags: ["Pets"], responses: { "200": OK }, ...operation };
  return contract({ paths: { "/pets": { post } }, components });
}

const operation = (before: Json, after: Json, components?: Json, componentsAfter = components) => ({
  before: withOperation(before, components),
  after: withOperation(after, componentsAfter),
});
const document = (before: Json, after: Json) => ({ before: contract(before), after: contract(after) });
const json = (schema: unknown) => ({ content: { "application/json": { schema } } });

/** Returns operations with a request schema before and after a change, or with a response schema. */
const body = (before: unknown, after: unknown, components?: Json, componentsAfter?: Json) =>
  operation(
    { requestBody: { required: true, ...json(before) } },
    { requestBody: { required: true, ...json(after) } },
    components,
    componentsAfter,
  );
const answer = (before: unknown, after: unknown, components?: Json, componentsAfter?: Json) =>
  operation(
    { responses: { "200": { ...OK, ...json(before) } } },
    { responses: { "200": { ...OK, ...json(after) } } },
    components,
    componentsAfter,
  );
const field = (schema: unknown, more: Json = {}) => ({ type: "object", properties: { name: schema }, ...more });
const query = (before: Json[], after: Json[]) => operation({ parameters: before }, { parameters: after });
const limit = (more: Json = {}, schema: Json = INTEGER) => ({ name: "limit", in: "query", schema, ...more });
const header = (before: Json | undefined, after: Json | undefined) =>
  operation(
    { responses: { "200": { ...OK, headers: { ETag: before } } } },
    { responses: { "200": { ...OK, headers: { ETag: after } } } },
  );
const responses = (before: Json, after: Json) => operation({ responses: before }, { responses: after });
const servers = (before: Json[], after: Json[]) => document({ servers: before }, { servers: after });
const EU = { url: "https://eu.shop.example/v1" };
const US = { url: "https://us.shop.example/v1" };
const path = (parameter: string, item: Json = {}) => ({
  [`/pets/{${parameter}}`]: {
    get: {
      operationId: "getPet",
      parameters: [{ name: parameter, in: "path", required: true, schema: INTEGER }],
      responses: { "200": OK },
    },
    ...item,
  },
});
const secured = (before: unknown, after: unknown) =>
  operation({ security: before }, { security: after }, { securitySchemes: { key: BEARER, app: BEARER } });
const scheme = (before: Json, after: Json) =>
  operation(
    { security: [{ key: [] }] },
    { security: [{ key: [] }] },
    { securitySchemes: { key: before } },
    { securitySchemes: { key: after } },
  );
const flows = (flow: Json) => ({ type: "oauth2", flows: { clientCredentials: flow } });
const listed = (values: unknown[]) => ({ type: "string", enum: values });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const tree = (schema: Json) => ({
  schemas: { Tree: { type: "object", properties: { name: schema, children: { type: "array", items: ref("Tree") } } } },
});
const called = (schema: Json) => ({
  "{$request.body#/url}": { post: { requestBody: json(schema), responses: { "204": OK } } },
});

/** Every kind of change to a contract, separate for requests and responses if the direction matters. */
export const CHANGE_KINDS: Record<string, ChangeKind> = {
  // Paths and operations
  "a path is removed": {
    ...document({ paths: { ...path("id"), "/pets": {} } }, { paths: { "/pets": {} } }),
    messages: ["breaking GET /pets/{id}: The operation is removed. Clients that call it get 404 or 405."],
    at: ["nowhere"],
  },
  "a path is added": {
    ...document({ paths: {} }, { paths: path("id") }),
    messages: ["additive GET /pets/{id}: The operation is added. Clients need not call it."],
    at: ["paths//pets/{id}/get"],
  },
  "a path is renamed": {
    ...document(
      { paths: { "/pets": { get: { operationId: "list", responses: { "200": OK } } } } },
      { paths: { "/animals": { get: { operationId: "list", responses: { "200": OK } } } } },
    ),
    messages: [
      "breaking GET /pets: The operation is removed. Clients that call it get 404 or 405.",
      "additive GET /animals: The operation is added. Clients need not call it.",
    ],
    at: ["nowhere", "paths//animals/get"],
  },
  "an operation is removed": {
    ...document(
      { paths: { "/pets": { get: { responses: { "200": OK } }, put: { responses: { "200": OK } } } } },
      { paths: { "/pets": { get: { responses: { "200": OK } } } } },
    ),
    messages: ["breaking PUT /pets: The operation is removed. Clients that call it get 404 or 405."],
    at: ["nowhere"],
  },
  "an operation is added": {
    ...document(
      { paths: { "/pets": { get: { responses: { "200": OK } } } } },
      { paths: { "/pets": { get: { responses: { "200": OK } }, put: { responses: { "200": OK } } } } },
    ),
    messages: ["additive PUT /pets: The operation is added. Clients need not call it."],
    at: ["paths//pets/put"],
  },
  "an operation's method changes": {
    ...document(
      { paths: { "/pets": { put: { responses: { "200": OK } } } } },
      { paths: { "/pets": { patch: { responses: { "200": OK } } } } },
    ),
    messages: [
      "breaking PUT /pets: The operation is removed. Clients that call it get 404 or 405.",
      "additive PATCH /pets: The operation is added. Clients need not call it.",
    ],
    at: ["nowhere", "paths//pets/patch"],
  },
  "an operationId changes": {
    ...operation({}, { operationId: "addPet" }),
    messages: [
      'breaking POST /pets: The operationId changes from "createPet" to "addPet". Calls in generated clients use this name.',
    ],
    at: ["operationId"],
  },
  "an operation moves to another tag": {
    ...operation({}, { tags: ["Store"] }),
    messages: [
      'breaking POST /pets: The tags change from ["Pets"] to ["Store"]. Generated clients group their calls by tag.',
    ],
    at: ["tags"],
  },
  "an operation gets one more tag": {
    ...operation({}, { tags: ["Pets", "Store"] }),
    messages: [
      'additive POST /pets: The tags change from ["Pets"] to ["Pets","Store"]. Generated clients keep the call in its first group.',
    ],
    at: ["tags"],
  },
  "an operation gets its first tag": {
    ...operation({ tags: undefined }, {}),
    messages: ['breaking POST /pets: The tags change from [] to ["Pets"]. Generated clients group their calls by tag.'],
    at: ["tags"],
  },
  "an operation's tags are listed in another order": {
    ...operation({ tags: ["Pets", "Store"] }, { tags: ["Store", "Pets"] }),
    messages: [
      'breaking POST /pets: The tags change from ["Pets","Store"] to ["Store","Pets"]. Generated clients group their calls by tag.',
    ],
    at: ["tags"],
  },
  "an operation loses its second tag": {
    ...operation({ tags: ["Pets", "Store"] }, {}),
    messages: [
      'breaking POST /pets: The tags change from ["Pets","Store"] to ["Pets"]. Generated clients group their calls by tag.',
    ],
    at: ["tags"],
  },
  "an unknown keyword is added to an operation": {
    ...operation({}, { cost: 1 }),
    messages: [
      "breaking POST /pets: `cost` is added. The comparison does not support this keyword, so it cannot rule out that a client breaks.",
    ],
    at: ["cost"],
  },
  "an unknown keyword is added to a path": {
    ...document({ paths: path("id") }, { paths: path("id", { cost: 1 }) }),
    messages: [
      "breaking /pets/{id}: `cost` is added. The comparison does not support this keyword, so it cannot rule out that a client breaks.",
    ],
    at: ["paths//pets/{id}/cost"],
  },
  "an operation is deprecated": {
    ...operation({}, { deprecated: true }),
    messages: [
      "additive POST /pets: The operation is deprecated. A deprecation is announced with a minor version (Semantic Versioning, item 7).",
    ],
    at: ["deprecated"],
  },
  "a deprecation is removed": {
    ...operation({ deprecated: true }, {}),
    messages: [
      "additive POST /pets: The operation is no longer deprecated. A deprecation is announced with a minor version (Semantic Versioning, item 7).",
    ],
    at: ["nowhere"],
  },
  "a sunset is brought forward": {
    ...operation({ "x-sunset": "2030-12-05" }, { "x-sunset": "2028-12-05" }),
    messages: [
      'additive POST /pets: `x-sunset` changes from "2030-12-05" to "2028-12-05". A deprecation is announced with a minor version (Semantic Versioning, item 7).',
    ],
    at: ["x-sunset"],
  },
  "a path parameter is renamed": {
    ...document({ paths: path("id") }, { paths: path("petId") }),
    messages: [
      'breaking GET /pets/{petId}: Path parameter "petId": the name changes from "id" to "petId". Calls in generated clients use this name.',
    ],
    at: ["paths//pets/{petId}/get/parameters/0/name"],
  },
  "unknown query parameters become invalid": {
    ...operation({ "x-allow-unknown-query-parameters": true }, {}),
    messages: [
      "breaking POST /pets: `x-allow-unknown-query-parameters` is removed. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["nowhere"],
  },
  "unknown query parameters become valid": {
    ...operation({}, { "x-allow-unknown-query-parameters": true }),
    messages: [
      "additive POST /pets: `x-allow-unknown-query-parameters` is added. Widens the request: the service accepts more.",
    ],
    at: ["x-allow-unknown-query-parameters"],
  },
  "a callback is added": {
    ...operation({}, { callbacks: { sold: called(NAME) } }),
    messages: ['additive POST /pets: Callback "sold" is added. Clients need not implement it.'],
    at: ["nowhere"],
  },
  "a callback is removed": {
    ...operation({ callbacks: { sold: called(NAME) } }, {}),
    messages: [
      'breaking POST /pets: Callback "sold" is removed. The service no longer calls clients that implement it.',
    ],
    at: ["nowhere"],
  },
  "a callback sends another schema": {
    ...operation(
      { callbacks: { sold: called(ref("Sold")) } },
      { callbacks: { sold: called(ref("Sold")) } },
      { schemas: { Sold: NAME } },
      { schemas: { Sold: NAMED } },
    ),
    messages: ['breaking POST /pets: Callback "sold" changes. Clients implement it as it is today.'],
    at: ["components/schemas/Sold/required"],
  },
  "a callback gets an extension": {
    ...operation({ callbacks: { sold: called(NAME) } }, { callbacks: { sold: { ...called(NAME), "x-owner": {} } } }),
    messages: ["documentation POST /pets: `x-owner` of callbacks/sold is added. A description promises nothing."],
    at: ["callbacks/sold/x-owner"],
  },
  "a callback is described": {
    ...operation(
      { callbacks: { sold: called(NAME) } },
      { callbacks: { sold: called({ ...NAME, description: "Named." }) } },
    ),
    messages: [
      "documentation POST /pets: `description` of callbacks/sold/{$request.body#/url}/post/requestBody/content/application/json/schema is added. A description promises nothing.",
    ],
    at: ["callbacks/sold/{$request.body#/url}/post/requestBody/content/application/json/schema/description"],
  },
  "a callback's schema changes twice": {
    ...operation(
      { callbacks: { sold: called(NAME) } },
      { callbacks: { sold: called({ ...NAMED, maxProperties: 1 }) } },
    ),
    messages: ['breaking POST /pets: Callback "sold" changes. Clients implement it as it is today.'],
    at: ["callbacks/sold/{$request.body#/url}/post/requestBody/content/application/json/schema/maxProperties"],
  },
  "a webhook is removed": {
    ...document({ webhooks: called(NAME) }, {}),
    messages: [
      "breaking webhooks/{$request.body#/url}: The webhook is removed. The service no longer calls clients that implement it.",
    ],
    at: ["nowhere"],
  },
  "a webhook is added": {
    ...document({}, { webhooks: called(NAME) }),
    messages: ["additive webhooks/{$request.body#/url}: The webhook is added. Clients need not implement it."],
    at: ["nowhere"],
  },
  "a webhook sends another schema": {
    ...document({ webhooks: called(NAME) }, { webhooks: called(NAMED) }),
    messages: ["breaking webhooks/{$request.body#/url}: The webhook changes. Clients implement it as it is today."],
    at: ["webhooks/{$request.body#/url}/post/requestBody/content/application/json/schema/required"],
  },

  // Documentation
  "a description changes": {
    ...operation({ description: "Adds." }, { description: "Adds one." }),
    messages: ["documentation POST /pets: `description` changes. A description promises nothing."],
    at: ["description"],
  },
  "a field's description changes": {
    ...body(field({ ...STRING, description: "a" }), field({ ...STRING, description: "b" })),
    messages: [
      "documentation POST /pets: `description` of requestBody/content/application/json/schema/properties/name changes. A description promises nothing.",
    ],
    at: ["requestBody/content/application/json/schema/properties/name/description"],
  },
  "an example changes": {
    ...query([limit({ example: 1 })], [limit({ example: 2 })]),
    messages: ["documentation POST /pets: `example` of parameters/0 changes. A description promises nothing."],
    at: ["parameters/0/example"],
  },
  "an example is added": {
    ...answer({ ...NAME }, { ...NAME, examples: [{ name: "Rex" }] }),
    messages: [
      "documentation POST /pets: `examples` of responses/200/content/application/json/schema is added. A description promises nothing.",
    ],
    at: ["responses/200/content/application/json/schema/examples"],
  },
  "a tag is described": {
    ...document({}, { tags: [{ name: "Pets", description: "Animals." }] }),
    messages: ["documentation the document: `tags` is added. A description promises nothing."],
    at: ["tags"],
  },
  "an extension is added": {
    ...operation({}, { "x-owner": "shop" }),
    messages: ["documentation POST /pets: `x-owner` is added. A description promises nothing."],
    at: ["x-owner"],
  },
  "the version is raised": {
    ...document({}, { info: { title: "Shop", version: "1.0.1" } }),
    messages: ["documentation info: `version` changes. A description promises nothing."],
    at: ["info/version"],
  },
  "a field is called description": {
    ...body({ type: "object", properties: { description: STRING } }, { type: "object", properties: {} }),
    messages: [
      'breaking POST /pets: Request body, field "description" is removed. The service rejects or ignores values that clients may send today.',
    ],
    at: ["nowhere"],
  },

  // Parameters
  "a required parameter is added": {
    ...query([], [limit({ required: true })]),
    messages: [
      'breaking POST /pets: Query parameter "limit" is added and required. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["parameters/0"],
  },
  "an optional parameter is added": {
    ...query([], [limit()]),
    messages: ['additive POST /pets: Query parameter "limit" is added. Clients need not send it.'],
    at: ["parameters/0"],
  },
  "a parameter is removed": {
    ...query([limit()], []),
    messages: [
      'breaking POST /pets: Query parameter "limit" is removed. The service rejects or ignores values that clients may send today.',
    ],
    at: ["nowhere"],
  },
  "a parameter is renamed": {
    ...query([limit()], [limit({ name: "size" })]),
    messages: [
      'breaking POST /pets: Query parameter "limit" is removed. The service rejects or ignores values that clients may send today.',
      'additive POST /pets: Query parameter "size" is added. Clients need not send it.',
    ],
    at: ["nowhere", "parameters/0"],
  },
  "a header parameter changes its letter case": {
    ...query([limit({ in: "header" })], [limit({ in: "header", name: "LIMIT" })]),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a parameter moves from the query to a header": {
    ...query([limit()], [limit({ in: "header" })]),
    messages: [
      'breaking POST /pets: Query parameter "limit" is removed. The service rejects or ignores values that clients may send today.',
      'additive POST /pets: Header parameter "limit" is added. Clients need not send it.',
    ],
    at: ["nowhere", "parameters/0"],
  },
  "a parameter moves from the operation to its path": {
    ...document(
      { paths: { "/pets": { get: { parameters: [limit()], responses: { "200": OK } } } } },
      { paths: { "/pets": { parameters: [limit()], get: { responses: { "200": OK } } } } },
    ),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a parameter becomes required": {
    ...query([limit()], [limit({ required: true })]),
    messages: [
      'breaking POST /pets: Query parameter "limit" becomes required. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["parameters/0/required"],
  },
  "a parameter becomes optional": {
    ...query([limit({ required: true })], [limit()]),
    messages: [
      'additive POST /pets: Query parameter "limit" becomes optional. Widens the request: the service accepts more.',
    ],
    at: ["nowhere"],
  },
  "a parameter is deprecated": {
    ...query([limit()], [limit({ deprecated: true })]),
    messages: [
      'additive POST /pets: Query parameter "limit" is deprecated. A deprecation is announced with a minor version (Semantic Versioning, item 7).',
    ],
    at: ["parameters/0/deprecated"],
  },
  "a parameter's default changes": {
    ...query([limit({}, { ...INTEGER, default: 1 })], [limit({}, { ...INTEGER, default: 2 })]),
    messages: [
      'breaking POST /pets: Query parameter "limit": the default changes from 1 to 2. A request without it changes its meaning.',
    ],
    at: ["parameters/0/schema/default"],
  },
  "a parameter's default is added": {
    ...query([limit()], [limit({}, { ...INTEGER, default: 2 })]),
    messages: [
      'breaking POST /pets: Query parameter "limit" gets the default 2. A request without it changes its meaning.',
    ],
    at: ["parameters/0/schema/default"],
  },
  "a parameter's default is removed": {
    ...query([limit({}, { ...INTEGER, default: 2 })], [limit()]),
    messages: [
      'breaking POST /pets: Query parameter "limit" loses its default 2. A request without it changes its meaning.',
    ],
    at: ["nowhere"],
  },
  "a required parameter's default changes": {
    ...query(
      [limit({ required: true }, { ...INTEGER, default: 1 })],
      [limit({ required: true }, { ...INTEGER, default: 2 })],
    ),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a parameter's type changes": {
    ...query([limit()], [limit({}, { type: "boolean" })]),
    messages: [
      'breaking POST /pets: Query parameter "limit": the type changes from integer to boolean. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/schema/type"],
  },
  "a parameter's maximum shrinks": {
    ...query([limit()], [limit({}, { ...INTEGER, maximum: 8 })]),
    messages: [
      'breaking POST /pets: Query parameter "limit": `maximum` changes from 9 to 8. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["parameters/0/schema/maximum"],
  },
  "a parameter's maximum grows": {
    ...query([limit()], [limit({}, { ...INTEGER, maximum: 10 })]),
    messages: [
      'additive POST /pets: Query parameter "limit": `maximum` changes from 9 to 10. Widens the request: the service accepts more.',
    ],
    at: ["parameters/0/schema/maximum"],
  },
  "explode changes on a scalar": {
    ...query([limit()], [limit({ explode: false })]),
    messages: [
      'documentation POST /pets: Query parameter "limit": `explode` changes from true to false. `explode` affects only lists and objects.',
    ],
    at: ["parameters/0/explode"],
  },
  "explode changes on a list": {
    ...query(
      [limit({}, { type: "array", items: INTEGER })],
      [limit({ explode: false }, { type: "array", items: INTEGER })],
    ),
    messages: [
      'breaking POST /pets: Query parameter "limit": `explode` changes from true to false. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/explode"],
  },
  "the default style is written": {
    ...query([limit()], [limit({ style: "form", explode: true })]),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a style changes": {
    ...query(
      [limit({}, { type: "array", items: INTEGER })],
      [limit({ style: "pipeDelimited" }, { type: "array", items: INTEGER })],
    ),
    messages: [
      'breaking POST /pets: Query parameter "limit": `style` changes from "form" to "pipeDelimited". Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/style"],
  },
  "reserved characters are no longer allowed": {
    ...query([limit({ allowReserved: true })], [limit()]),
    messages: [
      'breaking POST /pets: Query parameter "limit": `allowReserved` is removed. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["nowhere"],
  },
  "empty values are allowed": {
    ...query([limit()], [limit({ allowEmptyValue: true })]),
    messages: [
      'additive POST /pets: Query parameter "limit": `allowEmptyValue` is added. Widens the request: the service accepts more.',
    ],
    at: ["parameters/0/allowEmptyValue"],
  },
  "a parameter becomes JSON": {
    ...query([limit()], [{ name: "limit", in: "query", ...json(INTEGER) }]),
    messages: [
      'breaking POST /pets: Query parameter "limit": the value is written as a media type. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0"],
  },
  "a parameter is no longer JSON": {
    ...query([{ name: "limit", in: "query", ...json(INTEGER) }], [limit()]),
    messages: [
      'breaking POST /pets: Query parameter "limit": the value is no longer written as a media type. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0"],
  },
  "a deprecated parameter becomes JSON": {
    ...query([limit()], [{ name: "limit", in: "query", deprecated: true, ...json(INTEGER) }]),
    messages: [
      'additive POST /pets: Query parameter "limit" is deprecated. A deprecation is announced with a minor version (Semantic Versioning, item 7).',
      'breaking POST /pets: Query parameter "limit": the value is written as a media type. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/deprecated", "parameters/0"],
  },
  "a parameter's JSON changes": {
    ...query([{ name: "limit", in: "query", ...json(INTEGER) }], [{ name: "limit", in: "query", ...json(STRING) }]),
    messages: [
      'breaking POST /pets: Query parameter "limit": the type changes from integer to string. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/content/application/json/schema/type"],
  },
  "explode changes on an object": {
    ...query([limit({}, NAME)], [limit({ explode: false }, NAME)]),
    messages: [
      'breaking POST /pets: Query parameter "limit": `explode` changes from true to false. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/explode"],
  },
  "explode changes on a list or null": {
    ...query([limit({}, { type: ["array", "null"] })], [limit({ explode: false }, { type: ["array", "null"] })]),
    messages: [
      'breaking POST /pets: Query parameter "limit": `explode` changes from true to false. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/explode"],
  },
  "explode changes on a scalar that becomes a list": {
    ...query([limit()], [limit({ explode: false }, { type: "array" })]),
    messages: [
      'breaking POST /pets: Query parameter "limit": `explode` changes from true to false. Changes the request: the service may reject requests that clients send today.',
      'breaking POST /pets: Query parameter "limit": the type changes from integer to array. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/explode", "parameters/0/schema/type"],
  },
  "explode changes on a list that becomes a scalar": {
    ...query([limit({}, { type: "array" })], [limit({ explode: false })]),
    messages: [
      'breaking POST /pets: Query parameter "limit": `explode` changes from true to false. Changes the request: the service may reject requests that clients send today.',
      'breaking POST /pets: Query parameter "limit": the type changes from array to integer. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/explode", "parameters/0/schema/type"],
  },
  "explode changes on a parameter without a type": {
    ...query([limit({}, {})], [limit({ explode: false }, {})]),
    messages: [
      'breaking POST /pets: Query parameter "limit": `explode` changes from true to false. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/explode"],
  },
  "a style changes on a scalar": {
    ...query([limit()], [limit({ style: "spaceDelimited", explode: true })]),
    messages: [
      'breaking POST /pets: Query parameter "limit": `style` changes from "form" to "spaceDelimited". Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["parameters/0/style"],
  },
  "the default style of a header and of a cookie is written": {
    ...query(
      [limit({ in: "header" }), limit({ in: "cookie" })],
      [limit({ in: "header", style: "simple", explode: false }), limit({ in: "cookie", style: "form", explode: true })],
    ),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "an unknown keyword is added to a parameter": {
    ...query([limit()], [limit({ encodingHint: "x" })]),
    messages: [
      'breaking POST /pets: Query parameter "limit": `encodingHint` is added. The comparison does not support this keyword, so it cannot rule out that a client breaks.',
    ],
    at: ["parameters/0/encodingHint"],
  },

  // Request bodies
  "a required request body is added": {
    ...operation({}, { requestBody: { required: true, ...json(NAME) } }),
    messages: [
      "breaking POST /pets: Request body is added and required. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody"],
  },
  "an optional request body is added": {
    ...operation({}, { requestBody: json(NAME) }),
    messages: ["additive POST /pets: Request body is added. Clients need not send it."],
    at: ["requestBody"],
  },
  "a request body is removed": {
    ...operation({ requestBody: json(NAME) }, {}),
    messages: [
      "breaking POST /pets: Request body is removed. The service rejects or ignores values that clients may send today.",
    ],
    at: ["nowhere"],
  },
  "a request body becomes required": {
    ...operation({ requestBody: json(NAME) }, { requestBody: { required: true, ...json(NAME) } }),
    messages: [
      "breaking POST /pets: Request body becomes required. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/required"],
  },
  "a request body becomes optional": {
    ...operation({ requestBody: { required: true, ...json(NAME) } }, { requestBody: json(NAME) }),
    messages: ["additive POST /pets: Request body becomes optional. Widens the request: the service accepts more."],
    at: ["nowhere"],
  },
  "a media type is added to a request": {
    ...operation({ requestBody: json(NAME) }, { requestBody: { content: { ...json(NAME).content, "text/csv": {} } } }),
    messages: ["additive POST /pets: Request body: text/csv is added. Clients need not send it."],
    at: ["requestBody/content/text/csv"],
  },
  "a media type is removed from a request": {
    ...operation({ requestBody: { content: { ...json(NAME).content, "text/csv": {} } } }, { requestBody: json(NAME) }),
    messages: ["breaking POST /pets: Request body: text/csv is removed. Clients may send it today."],
    at: ["nowhere"],
  },
  "a media type changes its letter case": {
    ...operation({ requestBody: { content: { "text/csv": {} } } }, { requestBody: { content: { "Text/CSV": {} } } }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "the encoding of a form changes": {
    ...operation(
      { requestBody: { content: { "multipart/form-data": { schema: NAME } } } },
      {
        requestBody: {
          content: { "multipart/form-data": { schema: NAME, encoding: { name: { contentType: "text/html" } } } },
        },
      },
    ),
    messages: [
      "breaking POST /pets: Request body: `encoding` is added. Changes the request: the service may reject requests that clients send today.",
    ],
    at: ["requestBody/content/multipart/form-data/encoding"],
  },

  "the encoding of a form is removed": {
    ...operation(
      { requestBody: { content: { "multipart/form-data": { encoding: { name: { contentType: "text/html" } } } } } },
      { requestBody: { content: { "multipart/form-data": {} } } },
    ),
    messages: [
      "breaking POST /pets: Request body: `encoding` is removed. Changes the request: the service may reject requests that clients send today.",
    ],
    at: ["requestBody/content/multipart/form-data"],
  },

  // Fields of requests
  "a required field is added to a request": {
    ...body(NAME, { type: "object", required: ["age"], properties: { name: STRING, age: INTEGER } }),
    messages: [
      'breaking POST /pets: Request body, field "age" is added and required. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/properties/age"],
  },
  "an optional field is added to a request": {
    ...body(NAME, { type: "object", properties: { name: STRING, age: INTEGER } }),
    messages: ['additive POST /pets: Request body, field "age" is added. Clients need not send it.'],
    at: ["requestBody/content/application/json/schema/properties/age"],
  },
  "a field is removed from a request": {
    ...body(NAME, { type: "object", properties: {} }),
    messages: [
      'breaking POST /pets: Request body, field "name" is removed. The service rejects or ignores values that clients may send today.',
    ],
    at: ["nowhere"],
  },
  "a field of a request becomes required": {
    ...body(NAME, NAMED),
    messages: [
      'breaking POST /pets: Request body, field "name" becomes required. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/required"],
  },
  "a field of a request becomes optional": {
    ...body(NAMED, NAME),
    messages: [
      'additive POST /pets: Request body, field "name" becomes optional. Widens the request: the service accepts more.',
    ],
    at: ["nowhere"],
  },
  "a field of a request is deprecated": {
    ...body(NAME, field({ ...STRING, deprecated: true })),
    messages: [
      'additive POST /pets: Request body, field "name" is deprecated. A deprecation is announced with a minor version (Semantic Versioning, item 7).',
    ],
    at: ["requestBody/content/application/json/schema/properties/name/deprecated"],
  },
  "a field of a request becomes readOnly": {
    ...body(NAME, field({ ...STRING, readOnly: true })),
    messages: [
      'breaking POST /pets: Request body, field "name" is removed, since it becomes `readOnly`. The service rejects or ignores values that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/properties/name/readOnly"],
  },
  "a field of a request is no longer readOnly": {
    ...body(field({ ...STRING, readOnly: true }), NAME),
    messages: [
      'additive POST /pets: Request body, field "name" is added, since it is no longer `readOnly`. Clients need not send it.',
    ],
    at: ["requestBody/content/application/json/schema/properties/name"],
  },
  "a required field of a request is no longer readOnly": {
    ...body(field({ ...STRING, readOnly: true }, { required: ["name"] }), NAMED),
    messages: [
      'breaking POST /pets: Request body, field "name" is added and required, since it is no longer `readOnly`. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/properties/name"],
  },
  "a field of a request becomes writeOnly": {
    ...body(NAME, field({ ...STRING, writeOnly: true })),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a default of a request changes": {
    ...body(field({ ...STRING, default: "a" }), field({ ...STRING, default: "b" })),
    messages: [
      'breaking POST /pets: Request body, field "name": the default changes from "a" to "b". A request without it changes its meaning.',
    ],
    at: ["requestBody/content/application/json/schema/properties/name/default"],
  },
  "a default of a request is added": {
    ...body(NAME, field({ ...STRING, default: "b" })),
    messages: [
      'breaking POST /pets: Request body, field "name" gets the default "b". A request without it changes its meaning.',
    ],
    at: ["requestBody/content/application/json/schema/properties/name/default"],
  },
  "a default of a request is removed": {
    ...body(field({ ...STRING, default: "a" }), NAME),
    messages: [
      'breaking POST /pets: Request body, field "name" loses its default "a". A request without it changes its meaning.',
    ],
    at: ["nowhere"],
  },
  "a default of a required field changes": {
    ...body(
      field({ ...STRING, default: "a" }, { required: ["name"] }),
      field({ ...STRING, default: "b" }, { required: ["name"] }),
    ),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a request is closed to other fields": {
    ...body(NAME, { ...NAME, additionalProperties: false }),
    messages: [
      "breaking POST /pets: Request body: additional fields become invalid. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/additionalProperties"],
  },
  "a request is opened to other fields": {
    ...body({ ...NAME, additionalProperties: false }, NAME),
    messages: [
      "additive POST /pets: Request body: additional fields become valid. Widens the request: the service accepts more.",
    ],
    at: ["nowhere"],
  },
  "other fields of a request are restricted": {
    ...body({ ...NAME, additionalProperties: true }, { ...NAME, additionalProperties: INTEGER }),
    messages: [
      'breaking POST /pets: Request body, field "*": the type changes from any to integer. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/additionalProperties/type"],
  },

  "a field without a schema becomes required in a request": {
    ...body({ type: "object" }, { type: "object", required: ["name"] }),
    messages: [
      'breaking POST /pets: Request body, field "name" is added and required. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["nowhere"],
  },
  "a field of a request becomes required and has another default": {
    ...body(field({ ...STRING, default: "a" }), field({ ...STRING, default: "b" }, { required: ["name"] })),
    messages: [
      'breaking POST /pets: Request body, field "name" becomes required. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/required"],
  },

  // Fields of responses
  "an optional field is added to a response": {
    ...answer(NAME, { type: "object", properties: { name: STRING, age: INTEGER } }),
    messages: ['additive POST /pets: Response 200, field "age" is added. Clients ignore unknown fields.'],
    at: ["responses/200/content/application/json/schema/properties/age"],
  },
  "a required field is added to a response": {
    ...answer(NAME, { type: "object", required: ["age"], properties: { name: STRING, age: INTEGER } }),
    messages: ['additive POST /pets: Response 200, field "age" is added and required. Clients ignore unknown fields.'],
    at: ["responses/200/content/application/json/schema/properties/age"],
  },
  "an optional field is removed from a response": {
    ...answer(NAME, { type: "object", properties: {} }),
    messages: ['breaking POST /pets: Response 200, field "name" is removed. Clients that read it no longer get it.'],
    at: ["nowhere"],
  },
  "a required field is removed from a response": {
    ...answer(NAMED, { type: "object" }),
    messages: ['breaking POST /pets: Response 200, field "name" is removed. Clients that read it no longer get it.'],
    at: ["nowhere"],
  },
  "a field of a response becomes optional": {
    ...answer(NAMED, NAME),
    messages: [
      'breaking POST /pets: Response 200, field "name" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "a field of a response becomes required": {
    ...answer(NAME, NAMED),
    messages: [
      'additive POST /pets: Response 200, field "name" becomes required. Narrows the response: the service promises more.',
    ],
    at: ["responses/200/content/application/json/schema/required"],
  },
  "a field of a response is deprecated": {
    ...answer(NAME, field({ ...STRING, deprecated: true })),
    messages: [
      'additive POST /pets: Response 200, field "name" is deprecated. A deprecation is announced with a minor version (Semantic Versioning, item 7).',
    ],
    at: ["responses/200/content/application/json/schema/properties/name/deprecated"],
  },
  "a field of a response becomes writeOnly": {
    ...answer(NAME, field({ ...STRING, writeOnly: true })),
    messages: [
      'breaking POST /pets: Response 200, field "name" is removed, since it becomes `writeOnly`. Clients that read it no longer get it.',
    ],
    at: ["responses/200/content/application/json/schema/properties/name/writeOnly"],
  },
  "a field of a response is no longer writeOnly": {
    ...answer(field({ ...STRING, writeOnly: true }), NAME),
    messages: [
      'additive POST /pets: Response 200, field "name" is added, since it is no longer `writeOnly`. Clients ignore unknown fields.',
    ],
    at: ["responses/200/content/application/json/schema/properties/name"],
  },
  "a field of a response becomes readOnly": {
    ...answer(NAME, field({ ...STRING, readOnly: true })),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a default of a response changes": {
    ...answer(field({ ...STRING, default: "a" }), field({ ...STRING, default: "b" })),
    messages: [
      'breaking POST /pets: Response 200, field "name": the default changes from "a" to "b". A response without it changes its meaning.',
    ],
    at: ["responses/200/content/application/json/schema/properties/name/default"],
  },
  "a default of a response is added": {
    ...answer(NAME, field({ ...STRING, default: "b" })),
    messages: [
      'additive POST /pets: Response 200, field "name" gets the default "b". Until now a response without it had no defined meaning.',
    ],
    at: ["responses/200/content/application/json/schema/properties/name/default"],
  },
  "a default of a response changes where the field becomes required": {
    ...answer(field({ ...STRING, default: "a" }), field({ ...STRING, default: "b" }, { required: ["name"] })),
    messages: [
      'additive POST /pets: Response 200, field "name" becomes required. Narrows the response: the service promises more.',
      'breaking POST /pets: Response 200, field "name": the default changes from "a" to "b". A response without it changes its meaning.',
    ],
    at: [
      "responses/200/content/application/json/schema/required",
      "responses/200/content/application/json/schema/properties/name/default",
    ],
  },
  "a response is closed to other fields": {
    ...answer(NAME, { ...NAME, additionalProperties: false }),
    messages: [
      "additive POST /pets: Response 200: additional fields become invalid. Narrows the response: the service promises more.",
    ],
    at: ["responses/200/content/application/json/schema/additionalProperties"],
  },
  "a response is opened to other fields": {
    ...answer({ ...NAME, additionalProperties: false }, NAME),
    messages: ["additive POST /pets: Response 200: additional fields become valid. Clients ignore unknown fields."],
    at: ["nowhere"],
  },
  "the values of a map in a response change": {
    ...answer({ type: "object", additionalProperties: INTEGER }, { type: "object", additionalProperties: STRING }),
    messages: [
      'breaking POST /pets: Response 200, field "*": the type changes from integer to string. Changes the response: clients may not understand the new values.',
    ],
    at: ["responses/200/content/application/json/schema/additionalProperties/type"],
  },

  // Values, in both directions
  "an enum of a request widens": {
    ...body(field(listed(["a", "b"])), field(listed(["a", "b", "c"]))),
    messages: [
      'additive POST /pets: Request body, field "name": the value "c" is added. Widens the request: the service accepts more.',
    ],
    at: ["requestBody/content/application/json/schema/properties/name/enum"],
  },
  "an enum of a response widens": {
    ...answer(field(listed(["a", "b"])), field(listed(["a", "b", "c"]))),
    messages: [
      'breaking POST /pets: Response 200, field "name": the value "c" is added. Widens the response: clients may not understand the new values.',
    ],
    at: ["responses/200/content/application/json/schema/properties/name/enum"],
  },
  "an enum of a request narrows": {
    ...body(field(listed(["a", "b"])), field(listed(["a"]))),
    messages: [
      'breaking POST /pets: Request body, field "name": the value "b" is removed. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["nowhere"],
  },
  "an enum of a response narrows": {
    ...answer(field(listed(["a", "b"])), field(listed(["a"]))),
    messages: [
      'additive POST /pets: Response 200, field "name": the value "b" is removed. Narrows the response: the service promises more.',
    ],
    at: ["nowhere"],
  },
  "an enum is listed in another order": {
    ...body(field(listed(["a", "b"])), field(listed(["b", "a"]))),
    messages: [
      'documentation POST /pets: Request body, field "name": the order of the values changes. The order has no meaning.',
    ],
    at: ["requestBody/content/application/json/schema/properties/name/enum"],
  },
  "an enum is removed from a request": {
    ...body(listed(["a"]), { type: "string" }),
    messages: [
      'additive POST /pets: Request body: values besides "a" become valid. Widens the request: the service accepts more.',
    ],
    at: ["nowhere"],
  },
  "an enum is removed from a response": {
    ...answer(listed(["a"]), { type: "string" }),
    messages: [
      'breaking POST /pets: Response 200: values besides "a" become valid. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "an enum is added to a request": {
    ...body({ type: "string" }, listed(["a"])),
    messages: [
      'breaking POST /pets: Request body: the values are limited to "a". Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/enum"],
  },
  "an enum is added to a response": {
    ...answer({ type: "string" }, listed(["a"])),
    messages: [
      'additive POST /pets: Response 200: the values are limited to "a". Narrows the response: the service promises more.',
    ],
    at: ["responses/200/content/application/json/schema/enum"],
  },
  "a const of a response changes": {
    ...answer({ const: "a" }, { const: "b" }),
    messages: [
      'additive POST /pets: Response 200: the value "a" is removed. Narrows the response: the service promises more.',
      'breaking POST /pets: Response 200: the value "b" is added. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere", "responses/200/content/application/json/schema/const"],
  },
  "an enum of one becomes a const": {
    ...answer(listed(["a"]), { type: "string", const: "a" }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a request may be null": {
    ...body(field(STRING), field({ ...STRING, type: ["string", "null"] })),
    messages: [
      'additive POST /pets: Request body, field "name": the value null is added. Widens the request: the service accepts more.',
    ],
    at: ["requestBody/content/application/json/schema/properties/name/type"],
  },
  "a response may be null": {
    ...answer(field(STRING), field({ ...STRING, type: ["string", "null"] })),
    messages: [
      'breaking POST /pets: Response 200, field "name": the value null is added. Widens the response: clients may not understand the new values.',
    ],
    at: ["responses/200/content/application/json/schema/properties/name/type"],
  },
  "a response may no longer be null": {
    ...answer(field({ ...STRING, type: ["string", "null"] }), field(STRING)),
    messages: [
      'additive POST /pets: Response 200, field "name": the value null is removed. Narrows the response: the service promises more.',
    ],
    at: ["nowhere"],
  },
  "null is written as an alternative": {
    ...answer(field({ ...STRING, type: ["string", "null"] }), field({ anyOf: [STRING, { type: "null" }] })),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "the type of a request changes": {
    ...body(field(STRING), field(INTEGER)),
    messages: [
      'breaking POST /pets: Request body, field "name": the type changes from string to integer. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["requestBody/content/application/json/schema/properties/name/type"],
  },
  "the type of a response changes": {
    ...answer(field(STRING), field(INTEGER)),
    messages: [
      'breaking POST /pets: Response 200, field "name": the type changes from string to integer. Changes the response: clients may not understand the new values.',
    ],
    at: ["responses/200/content/application/json/schema/properties/name/type"],
  },
  "an integer of a request becomes a number": {
    ...body({ type: "integer" }, { type: "number" }),
    messages: [
      "additive POST /pets: Request body: the type changes from integer to number. Widens the request: the service accepts more.",
    ],
    at: ["requestBody/content/application/json/schema/type"],
  },
  "an integer of a response becomes a number": {
    ...answer({ type: "integer" }, { type: "number" }),
    messages: [
      "breaking POST /pets: Response 200: the type changes from integer to number. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/type"],
  },
  "a number of a response becomes an integer": {
    ...answer({ type: "number" }, { type: "integer" }),
    messages: [
      "additive POST /pets: Response 200: the type changes from number to integer. Narrows the response: the service promises more.",
    ],
    at: ["responses/200/content/application/json/schema/type"],
  },
  "a type is removed from a request": {
    ...body(field({ type: "string" }), field({})),
    messages: [
      'additive POST /pets: Request body, field "name": the type changes from string to any. Widens the request: the service accepts more.',
    ],
    at: ["nowhere"],
  },
  "a type is removed from a response": {
    ...answer(field({ type: "string" }), field({})),
    messages: [
      'breaking POST /pets: Response 200, field "name": the type changes from string to any. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "a lower bound of a request rises": {
    ...body(INTEGER, { ...INTEGER, minimum: 2 }),
    messages: [
      "breaking POST /pets: Request body: `minimum` changes from 1 to 2. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/minimum"],
  },
  "a lower bound of a response falls": {
    ...answer(INTEGER, { ...INTEGER, minimum: 0 }),
    messages: [
      "breaking POST /pets: Response 200: `minimum` changes from 1 to 0. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/minimum"],
  },
  "a bound of a request excludes its value": {
    ...body(INTEGER, { type: "integer", exclusiveMinimum: 1, maximum: 9 }),
    messages: [
      "breaking POST /pets: Request body: `minimum` changes from 1 to 1 (excluded). Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/exclusiveMinimum"],
  },
  "a bound of a response excludes its value": {
    ...answer(INTEGER, { type: "integer", exclusiveMinimum: 1, maximum: 9 }),
    messages: [
      "additive POST /pets: Response 200: `minimum` changes from 1 to 1 (excluded). Narrows the response: the service promises more.",
    ],
    at: ["responses/200/content/application/json/schema/exclusiveMinimum"],
  },
  "a length of a request shrinks": {
    ...body(STRING, { ...STRING, maxLength: 8 }),
    messages: [
      "breaking POST /pets: Request body: `maxLength` changes from 9 to 8. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/maxLength"],
  },
  "a length of a response grows": {
    ...answer(STRING, { ...STRING, maxLength: 10 }),
    messages: [
      "breaking POST /pets: Response 200: `maxLength` changes from 9 to 10. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/maxLength"],
  },
  "a length of a response is no longer bounded": {
    ...answer(STRING, { type: "string" }),
    messages: [
      "breaking POST /pets: Response 200: `maxLength` 9 is removed. Widens the response: clients may not understand the new values.",
    ],
    at: ["nowhere"],
  },
  "a length of zero is written": {
    ...body(STRING, { ...STRING, minLength: 0 }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a list of a response may be longer": {
    ...answer({ type: "array", items: STRING, maxItems: 1 }, { type: "array", items: STRING, maxItems: 2 }),
    messages: [
      "breaking POST /pets: Response 200: `maxItems` changes from 1 to 2. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/maxItems"],
  },
  "a list of a request must have an item": {
    ...body({ type: "array", items: STRING }, { type: "array", items: STRING, minItems: 1 }),
    messages: [
      "breaking POST /pets: Request body: `minItems` 1 is added. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/minItems"],
  },
  "items of a request become unique": {
    ...body({ type: "array", items: STRING }, { type: "array", items: STRING, uniqueItems: true }),
    messages: [
      "breaking POST /pets: Request body: `uniqueItems` true is added. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/uniqueItems"],
  },
  "items of a response need not be unique": {
    ...answer({ type: "array", items: STRING, uniqueItems: true }, { type: "array", items: STRING }),
    messages: [
      "breaking POST /pets: Response 200: `uniqueItems` true is removed. Widens the response: clients may not understand the new values.",
    ],
    at: ["nowhere"],
  },
  "items of a response change": {
    ...answer({ type: "array", items: STRING }, { type: "array", items: INTEGER }),
    messages: [
      'breaking POST /pets: Response 200, field "[]": the type changes from string to integer. Changes the response: clients may not understand the new values.',
    ],
    at: ["responses/200/content/application/json/schema/items/type"],
  },
  "items of a request may be anything": {
    ...body({ type: "array", items: STRING }, { type: "array" }),
    messages: [
      'additive POST /pets: Request body, field "[]": the type changes from string to any. Widens the request: the service accepts more.',
    ],
    at: ["nowhere"],
  },
  "items of a response are restricted": {
    ...answer({ type: "array" }, { type: "array", items: STRING }),
    messages: [
      'additive POST /pets: Response 200, field "[]": the type changes from any to string. Narrows the response: the service promises more.',
    ],
    at: ["responses/200/content/application/json/schema/items/type"],
  },
  "a pattern is added to a request": {
    ...body(STRING, { ...STRING, pattern: "^a$" }),
    messages: [
      'breaking POST /pets: Request body: `pattern` "^a$" is added. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/pattern"],
  },
  "a pattern is removed from a request": {
    ...body({ ...STRING, pattern: "^a$" }, STRING),
    messages: [
      'additive POST /pets: Request body: `pattern` "^a$" is removed. Widens the request: the service accepts more.',
    ],
    at: ["nowhere"],
  },
  "a pattern is added to a response": {
    ...answer(STRING, { ...STRING, pattern: "^a$" }),
    messages: [
      'additive POST /pets: Response 200: `pattern` "^a$" is added. Narrows the response: the service promises more.',
    ],
    at: ["responses/200/content/application/json/schema/pattern"],
  },
  "a pattern is removed from a response": {
    ...answer({ ...STRING, pattern: "^a$" }, STRING),
    messages: [
      'breaking POST /pets: Response 200: `pattern` "^a$" is removed. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "a pattern of a request changes": {
    ...body({ ...STRING, pattern: "^a$" }, { ...STRING, pattern: "^b$" }),
    messages: [
      'breaking POST /pets: Request body: `pattern` changes from "^a$" to "^b$". Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["requestBody/content/application/json/schema/pattern"],
  },
  "a pattern of a response changes": {
    ...answer({ ...STRING, pattern: "^a$" }, { ...STRING, pattern: "^b$" }),
    messages: [
      'breaking POST /pets: Response 200: `pattern` changes from "^a$" to "^b$". Changes the response: clients may not understand the new values.',
    ],
    at: ["responses/200/content/application/json/schema/pattern"],
  },
  "a format is added to a request": {
    ...body(STRING, { ...STRING, format: "date" }),
    messages: [
      'breaking POST /pets: Request body: `format` "date" is added. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/format"],
  },
  "a format is added to a response": {
    ...answer(STRING, { ...STRING, format: "date" }),
    messages: [
      'additive POST /pets: Response 200: `format` "date" is added. Narrows the response: the service promises more.',
    ],
    at: ["responses/200/content/application/json/schema/format"],
  },
  "a format is removed from a request": {
    ...body({ ...STRING, format: "date" }, STRING),
    messages: [
      'additive POST /pets: Request body: `format` "date" is removed. Widens the request: the service accepts more.',
    ],
    at: ["nowhere"],
  },
  "a format is removed from a response": {
    ...answer({ ...STRING, format: "date" }, STRING),
    messages: [
      'breaking POST /pets: Response 200: `format` "date" is removed. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "a format of a response grows": {
    ...answer({ type: "integer", format: "int32" }, { type: "integer", format: "int64" }),
    messages: [
      'breaking POST /pets: Response 200: `format` changes from "int32" to "int64". Widens the response: clients may not understand the new values.',
    ],
    at: ["responses/200/content/application/json/schema/format"],
  },
  "a multiple of a request grows": {
    ...body({ ...INTEGER, multipleOf: 2 }, { ...INTEGER, multipleOf: 4 }),
    messages: [
      "breaking POST /pets: Request body: `multipleOf` changes from 2 to 4. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/multipleOf"],
  },
  "a multiple of a request shrinks": {
    ...body({ ...INTEGER, multipleOf: 4 }, { ...INTEGER, multipleOf: 2 }),
    messages: [
      "additive POST /pets: Request body: `multipleOf` changes from 4 to 2. Widens the request: the service accepts more.",
    ],
    at: ["requestBody/content/application/json/schema/multipleOf"],
  },
  "a condition is added to a request": {
    ...body(NAME, { ...NAME, not: { required: ["age"] } }),
    messages: [
      'breaking POST /pets: Request body: `not` {"required":["age"]} is added. Narrows the request: the service rejects requests that clients may send today.',
    ],
    at: ["requestBody/content/application/json/schema/not"],
  },
  "the schema behind a condition changes": {
    ...body({ not: ref("Old") }, { not: ref("Old") }, { schemas: { Old: NAME } }, { schemas: { Old: NAMED } }),
    messages: [
      'breaking POST /pets: Request body: `not` changes behind {"$ref":"#/components/schemas/Old"}. Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["requestBody/content/application/json/schema/not"],
  },
  "an unknown keyword is added to a schema": {
    ...answer(STRING, { ...STRING, secrecy: 1 }),
    messages: [
      "breaking POST /pets: Response 200: `secrecy` is added. Changes the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/secrecy"],
  },

  // Combined schemas
  "the same schema is wrapped in allOf": {
    ...body(field(ref("Name")), field({ allOf: [ref("Name")] }), { schemas: { Name: STRING } }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a schema is split by allOf": {
    ...answer(
      { type: "object", properties: { a: STRING, b: STRING } },
      {
        allOf: [
          { type: "object", properties: { a: STRING } },
          { type: "object", properties: { b: STRING } },
        ],
      },
    ),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a schema becomes a component": {
    ...body(field(STRING), field(ref("Name")), {}, { schemas: { Name: STRING } }),
    messages: ["additive components/schemas/Name: The schema is added. Generated clients get one more type."],
    at: ["components/schemas/Name"],
  },
  "a component is renamed": {
    ...body(ref("Name"), ref("Title"), { schemas: { Name: STRING } }, { schemas: { Title: STRING } }),
    messages: [
      "breaking components/schemas/Name: The schema is removed. Generated clients name a type after it.",
      "additive components/schemas/Title: The schema is added. Generated clients get one more type.",
    ],
    at: ["nowhere", "components/schemas/Title"],
  },
  "a member of allOf narrows a request": {
    ...body({ allOf: [NAME, { minProperties: 1 }] }, { allOf: [NAME, { minProperties: 2 }] }),
    messages: [
      "breaking POST /pets: Request body: `minProperties` changes from 1 to 2. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/allOf/1/minProperties"],
  },
  "one of two patterns in allOf changes": {
    ...body({ allOf: [{ pattern: "a" }, { pattern: "b" }] }, { allOf: [{ pattern: "c" }, { pattern: "b" }] }),
    messages: [
      'breaking POST /pets: Request body: `pattern` changes from "a" to "c". Changes the request: the service may reject requests that clients send today.',
    ],
    at: ["requestBody/content/application/json/schema/allOf/0/pattern"],
  },
  "an alternative is added to a request": {
    ...body({ oneOf: [CAT] }, { oneOf: [CAT, DOG] }),
    messages: [
      "additive POST /pets: Request body: the alternative object is added. Widens the request: the service accepts more.",
    ],
    at: ["requestBody/content/application/json/schema/oneOf"],
  },
  "an alternative is added to a response": {
    ...answer({ oneOf: [CAT] }, { oneOf: [CAT, DOG] }),
    messages: [
      "breaking POST /pets: Response 200: the alternative object is added. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/oneOf"],
  },
  "an alternative is removed from a request": {
    ...body({ anyOf: [CAT, DOG] }, { anyOf: [DOG] }),
    messages: [
      "breaking POST /pets: Request body: the alternative object is removed. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["nowhere"],
  },
  "an alternative is removed from a response": {
    ...answer({ anyOf: [CAT, DOG] }, { anyOf: [DOG] }),
    messages: [
      "additive POST /pets: Response 200: the alternative object is removed. Narrows the response: the service promises more.",
    ],
    at: ["nowhere"],
  },
  "a schema becomes one of two in a response": {
    ...answer(CAT, { oneOf: [CAT, DOG] }),
    messages: [
      "breaking POST /pets: Response 200: the alternative object is added. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/oneOf"],
  },
  "alternatives are listed in another order": {
    ...answer({ oneOf: [CAT, DOG] }, { oneOf: [DOG, CAT] }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "an alternative of a response changes": {
    ...answer(
      { oneOf: [ref("Cat"), ref("Dog")] },
      { oneOf: [ref("Dog"), ref("Cat")] },
      { schemas: { Cat: CAT, Dog: DOG } },
      { schemas: { Cat: { type: "object", required: ["kind"], properties: CAT.properties }, Dog: DOG } },
    ),
    messages: [
      'breaking POST /pets: Response 200, field "claws" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "oneOf becomes anyOf in a response": {
    ...answer({ oneOf: [CAT, DOG] }, { anyOf: [CAT, DOG] }),
    messages: [
      "breaking POST /pets: Response 200: `oneOf` becomes `anyOf`. Widens the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/anyOf"],
  },
  "anyOf becomes oneOf in a request": {
    ...body({ anyOf: [CAT, DOG] }, { oneOf: [CAT, DOG] }),
    messages: [
      "breaking POST /pets: Request body: `anyOf` becomes `oneOf`. Narrows the request: the service rejects requests that clients may send today.",
    ],
    at: ["requestBody/content/application/json/schema/oneOf"],
  },
  "a discriminator names another field": {
    ...answer(
      { oneOf: [CAT, DOG], discriminator: { propertyName: "a" } },
      { oneOf: [CAT, DOG], discriminator: { propertyName: "b" } },
    ),
    messages: [
      "breaking POST /pets: Response 200: `discriminator` changes. Changes the response: clients may not understand the new values.",
    ],
    at: ["responses/200/content/application/json/schema/discriminator"],
  },
  "a schema that contains itself changes": {
    ...answer(ref("Tree"), ref("Tree"), tree(STRING), tree({ ...STRING, maxLength: 10 })),
    messages: [
      'breaking POST /pets: Response 200, field "name": `maxLength` changes from 9 to 10. Widens the response: clients may not understand the new values.',
    ],
    at: ["components/schemas/Tree/properties/name/maxLength"],
  },
  "a component of a list in a response becomes less strict": {
    ...answer(
      { type: "array", items: ref("Pet") },
      { type: "array", items: ref("Pet") },
      { schemas: { Pet: NAMED } },
      { schemas: { Pet: NAME } },
    ),
    messages: [
      'breaking POST /pets: Response 200, field "[].name" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },

  // Responses
  "a success status is added": {
    ...responses({ "200": OK }, { "200": OK, "202": OK }),
    messages: [
      "additive POST /pets: Response 202 is added. Clients treat an unknown status as its class (RFC 9110, section 15).",
    ],
    at: ["responses/202"],
  },
  "a success status changes": {
    ...responses({ "200": OK }, { "201": OK }),
    messages: [
      "breaking POST /pets: Response 200 is removed. Clients may branch on it.",
      "additive POST /pets: Response 201 is added. Clients treat an unknown status as its class (RFC 9110, section 15).",
    ],
    at: ["nowhere", "responses/201"],
  },
  "a failure is declared": {
    ...responses({ "200": OK }, { "200": OK, "404": OK }),
    messages: [
      "additive POST /pets: Response 404 is added. Clients treat an unknown status as its class (RFC 9110, section 15).",
    ],
    at: ["responses/404"],
  },
  "a failure is declared with the schema of default": {
    ...responses(
      { default: { ...OK, ...json(NAMED) } },
      { default: { ...OK, ...json(NAMED) }, "404": { ...OK, ...json(NAMED) } },
    ),
    messages: [
      "additive POST /pets: Response 404 is added. Clients treat an unknown status as its class (RFC 9110, section 15).",
    ],
    at: ["responses/404"],
  },
  "an extension is added to the responses": {
    ...responses({ "200": OK }, { "200": OK, "x-note": { headers: {} } }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "an unknown keyword is added to a response": {
    ...responses({ "200": OK }, { "200": { ...OK, cost: 1 } }),
    messages: [
      "breaking POST /pets: Response 200: `cost` is added. The comparison does not support this keyword, so it cannot rule out that a client breaks.",
    ],
    at: ["responses/200/cost"],
  },
  "a failure is declared with another schema than its class": {
    ...responses(
      { "4XX": { ...OK, ...json(NAMED) }, default: { ...OK, ...json(NAME) } },
      { "4XX": { ...OK, ...json(NAMED) }, default: { ...OK, ...json(NAME) }, "404": { ...OK, ...json(NAME) } },
    ),
    messages: [
      "additive POST /pets: Response 404 is added. Clients treat an unknown status as its class (RFC 9110, section 15).",
      'breaking POST /pets: Response 404, field "name" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["responses/404", "nowhere"],
  },
  "a success is declared with another schema than default": {
    ...responses(
      { default: { ...OK, ...json(NAMED) } },
      { default: { ...OK, ...json(NAMED) }, "201": { ...OK, ...json(NAME) } },
    ),
    messages: [
      "additive POST /pets: Response 201 is added. Clients treat an unknown status as its class (RFC 9110, section 15).",
    ],
    at: ["responses/201"],
  },
  "a link is removed": {
    ...responses({ "200": { ...OK, links: { next: { operationId: "createPet" } } } }, { "200": OK }),
    messages: ['breaking POST /pets: Response 200, link "next" is removed. Clients may follow it today.'],
    at: ["nowhere"],
  },
  "a header changes its letter case": {
    ...responses(
      { "200": { ...OK, headers: { ETag: { schema: STRING } } } },
      { "200": { ...OK, headers: { Etag: { schema: STRING } } } },
    ),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a failure is declared with another schema than default": {
    ...responses(
      { default: { ...OK, ...json(NAMED) } },
      { default: { ...OK, ...json(NAMED) }, "404": { ...OK, ...json(NAME) } },
    ),
    messages: [
      "additive POST /pets: Response 404 is added. Clients treat an unknown status as its class (RFC 9110, section 15).",
      'breaking POST /pets: Response 404, field "name" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["responses/404", "nowhere"],
  },
  "a failure is no longer declared": {
    ...responses({ "200": OK, "404": OK }, { "200": OK }),
    messages: ["breaking POST /pets: Response 404 is removed. Clients may branch on it."],
    at: ["nowhere"],
  },
  "a response gets a body": {
    ...responses({ "200": OK }, { "200": { ...OK, ...json(NAME) } }),
    messages: [
      "additive POST /pets: Response 200: application/json is added. Clients choose by `Accept` what they receive.",
    ],
    at: ["responses/200/content/application/json"],
  },
  "a response loses its body": {
    ...responses({ "200": { ...OK, ...json(NAME) } }, { "200": OK }),
    messages: ["breaking POST /pets: Response 200: application/json is removed. Clients may expect it today."],
    at: ["nowhere"],
  },
  "a response's media type is added": {
    ...responses(
      { "200": { ...OK, ...json(NAME) } },
      { "200": { ...OK, content: { ...json(NAME).content, "text/csv": {} } } },
    ),
    messages: ["additive POST /pets: Response 200: text/csv is added. Clients choose by `Accept` what they receive."],
    at: ["responses/200/content/text/csv"],
  },
  "a response's media type changes": {
    ...responses({ "200": { ...OK, ...json(NAME) } }, { "200": { ...OK, content: { "text/csv": {} } } }),
    messages: [
      "breaking POST /pets: Response 200: application/json is removed. Clients may expect it today.",
      "additive POST /pets: Response 200: text/csv is added. Clients choose by `Accept` what they receive.",
    ],
    at: ["nowhere", "responses/200/content/text/csv"],
  },
  "a schema of several responses changes": {
    ...responses(
      { "400": { ...OK, ...json(NAMED) }, default: { ...OK, ...json(NAMED) } },
      { "400": { ...OK, ...json(NAME) }, default: { ...OK, ...json(NAME) } },
    ),
    messages: [
      'breaking POST /pets: Response 400 and default, field "name" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "a link is added": {
    ...responses({ "200": OK }, { "200": { ...OK, links: { next: { operationId: "createPet" } } } }),
    messages: ['additive POST /pets: Response 200, link "next" is added. Clients need not follow it.'],
    at: ["responses/200/links/next"],
  },
  "a link leads to another operation": {
    ...responses(
      { "200": { ...OK, links: { next: { operationId: "createPet" } } } },
      { "200": { ...OK, links: { next: { operationId: "getPet" } } } },
    ),
    messages: ['breaking POST /pets: Response 200, link "next": `operationId` changes. Clients may follow it today.'],
    at: ["responses/200/links/next/operationId"],
  },

  // Headers of responses
  "a response's header is added": {
    ...header(undefined, { schema: STRING }),
    messages: ['additive POST /pets: Response 200, header "ETag" is added. Clients ignore unknown headers.'],
    at: ["responses/200/headers/ETag"],
  },
  "a response's header is removed": {
    ...header({ schema: STRING }, undefined),
    messages: ['breaking POST /pets: Response 200, header "ETag" is removed. Clients that read it no longer get it.'],
    at: ["nowhere"],
  },
  "a response's header becomes optional": {
    ...header({ required: true, schema: STRING }, { schema: STRING }),
    messages: [
      'breaking POST /pets: Response 200, header "ETag" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "a response's header becomes required": {
    ...header({ schema: STRING }, { required: true, schema: STRING }),
    messages: [
      'additive POST /pets: Response 200, header "ETag" becomes required. Narrows the response: the service promises more.',
    ],
    at: ["responses/200/headers/ETag/required"],
  },
  "a response's header is deprecated": {
    ...header({ schema: STRING }, { deprecated: true, schema: STRING }),
    messages: [
      'additive POST /pets: Response 200, header "ETag" is deprecated. A deprecation is announced with a minor version (Semantic Versioning, item 7).',
    ],
    at: ["responses/200/headers/ETag/deprecated"],
  },
  "a response's header changes its type": {
    ...header({ schema: STRING }, { schema: INTEGER }),
    messages: [
      'breaking POST /pets: Response 200, header "ETag": the type changes from string to integer. Changes the response: clients may not understand the new values.',
    ],
    at: ["responses/200/headers/ETag/schema/type"],
  },

  // Security
  "an operation requires another scope": {
    ...secured([{ key: ["read"] }], [{ key: ["read", "write"] }]),
    messages: [
      "breaking POST /pets: The security changes from key (read) to key (read) and key (write). The credentials that clients send today no longer suffice.",
    ],
    at: ["security"],
  },
  "an operation requires one scope less": {
    ...secured([{ key: ["read", "write"] }], [{ key: ["read"] }]),
    messages: [
      "additive POST /pets: The security changes from key (read) and key (write) to key (read). The credentials that clients send today still suffice.",
    ],
    at: ["security"],
  },
  "an operation requires a key": {
    ...secured([], [{ key: [] }]),
    messages: [
      "breaking POST /pets: The security changes from none to key. The credentials that clients send today no longer suffice.",
    ],
    at: ["security"],
  },
  "an operation no longer requires a key": {
    ...secured([{ key: [] }], []),
    messages: [
      "additive POST /pets: The security changes from key to none. The credentials that clients send today still suffice.",
    ],
    at: ["security"],
  },
  "a key becomes optional": {
    ...secured([{ key: [] }], [{}, { key: [] }]),
    messages: [
      "additive POST /pets: The security changes from key to none, or key. The credentials that clients send today still suffice.",
    ],
    at: ["security"],
  },
  "another way to authenticate is added": {
    ...secured([{ key: [] }], [{ key: [] }, { app: [] }]),
    messages: [
      "additive POST /pets: The security changes from key to key, or app. The credentials that clients send today still suffice.",
    ],
    at: ["security"],
  },
  "a second way to authenticate is required": {
    ...secured([{ key: [] }], [{ key: [], app: [] }]),
    messages: [
      "breaking POST /pets: The security changes from key to app and key. The credentials that clients send today no longer suffice.",
    ],
    at: ["security"],
  },
  "a way to authenticate is removed": {
    ...secured([{ key: [] }, { app: [] }], [{ key: [] }]),
    messages: [
      "breaking POST /pets: The security changes from key, or app to key. The credentials that clients send today no longer suffice.",
    ],
    at: ["security"],
  },
  "a security scheme changes": {
    ...scheme(BEARER, { ...BEARER, scheme: "basic" }),
    messages: [
      'breaking components/securitySchemes/key: `scheme` changes from "bearer" to "basic". Clients have to authenticate in another way.',
    ],
    at: ["components/securitySchemes/key/scheme"],
  },
  "a security scheme changes its letter case": {
    ...scheme(BEARER, { ...BEARER, scheme: "Bearer" }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a bearer format is named": {
    ...scheme(BEARER, { ...BEARER, bearerFormat: "JWT" }),
    messages: [
      "documentation components/securitySchemes/key: `bearerFormat` is added. A description promises nothing.",
    ],
    at: ["components/securitySchemes/key/bearerFormat"],
  },
  "a flow's address changes": {
    ...scheme(
      flows({ tokenUrl: "https://a.example", scopes: {} }),
      flows({ tokenUrl: "https://b.example", scopes: {} }),
    ),
    messages: [
      "breaking components/securitySchemes/key: The flow `clientCredentials` changes. Clients have to get their tokens in another way.",
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },
  "a scope has a new description": {
    ...scheme(
      flows({ tokenUrl: "https://a.example", scopes: { read: "Read.", write: "Write." } }),
      flows({ tokenUrl: "https://a.example", scopes: { read: "Read pets.", write: "Write." } }),
    ),
    messages: [
      'documentation components/securitySchemes/key: The scope "read" of the flow `clientCredentials` has a new description. A description promises nothing.',
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },
  "a flow is added": {
    ...scheme({ type: "oauth2", flows: {} }, flows({ tokenUrl: "https://a.example", scopes: {} })),
    messages: [
      "additive components/securitySchemes/key: The flow `clientCredentials` is added. Clients need not use it.",
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },
  "a flow is removed": {
    ...scheme(flows({ tokenUrl: "https://a.example", scopes: {} }), { type: "oauth2" }),
    messages: [
      "breaking components/securitySchemes/key: The flow `clientCredentials` is removed. Clients may use it today.",
    ],
    at: ["nowhere"],
  },
  "a key moves to another header": {
    ...scheme({ type: "apiKey", in: "header", name: "Key" }, { type: "apiKey", in: "header", name: "X-Key" }),
    messages: [
      'breaking components/securitySchemes/key: `name` changes from "Key" to "X-Key". Clients have to authenticate in another way.',
    ],
    at: ["components/securitySchemes/key/name"],
  },
  "an operation inherits its security from the document": {
    before: contract({ ...withOperation({ security: [{ key: [] }] }), security: [{ app: [] }] }),
    after: contract({ ...withOperation({}), security: [{ app: [] }] }),
    messages: [
      "breaking POST /pets: The security changes from key to app. The credentials that clients send today no longer suffice.",
    ],
    at: ["paths//pets/post"],
  },
  "ways to authenticate are listed in another order": {
    ...secured([{ key: ["a", "b"] }, { app: [] }], [{ app: [] }, { key: ["b", "a"] }]),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a scope is offered": {
    ...scheme(
      flows({ tokenUrl: "https://a.example", scopes: {} }),
      flows({ tokenUrl: "https://a.example", scopes: { read: "Read." } }),
    ),
    messages: [
      'additive components/securitySchemes/key: The scope "read" of the flow `clientCredentials` is added. Clients need not ask for it.',
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },
  "a scope is no longer offered": {
    ...scheme(
      flows({ tokenUrl: "https://a.example", scopes: { read: "Read." } }),
      flows({ tokenUrl: "https://a.example", scopes: {} }),
    ),
    messages: [
      'breaking components/securitySchemes/key: The scope "read" of the flow `clientCredentials` is removed. Clients may ask for it today.',
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },

  // Servers
  "a server is removed": {
    ...servers([EU, US], [EU]),
    messages: ['breaking servers: The server "https://us.shop.example/v1" is removed. Clients call it today.'],
    at: ["servers"],
  },
  "a server is added": {
    ...servers([EU], [EU, US]),
    messages: ['additive servers: The server "https://us.shop.example/v1" is added. Clients need not call it.'],
    at: ["servers"],
  },
  "another server comes first": {
    ...servers([EU, US], [US, EU]),
    messages: [
      'breaking servers: The first server changes from "https://eu.shop.example/v1" to "https://us.shop.example/v1". Generated clients call the first server by default.',
    ],
    at: ["servers"],
  },
  "a server is described": {
    ...servers([EU], [{ ...EU, description: "Europe" }]),
    messages: ["documentation servers/0: `description` is added. A description promises nothing."],
    at: ["servers/0/description"],
  },
  "a variable of a server has another default": {
    ...servers(
      [{ url: "https://{at}.example", variables: { at: { default: "eu" } } }],
      [{ url: "https://{at}.example", variables: { at: { default: "us" } } }],
    ),
    messages: [
      'breaking servers: The variables of the server "https://{at}.example" change. Clients may call another address than today.',
    ],
    at: ["servers"],
  },
  "an operation moves to its own server": {
    ...operation({}, { servers: [US] }),
    messages: [
      'breaking POST /pets: The server "/" is removed. Clients call it today.',
      'additive POST /pets: The server "https://us.shop.example/v1" is added. Clients need not call it.',
    ],
    at: ["servers", "servers"],
  },
  "a path moves to its own servers": {
    ...document({ servers: [EU], paths: path("id") }, { servers: [EU], paths: path("id", { servers: [US] }) }),
    messages: [
      'breaking GET /pets/{id}: The server "https://eu.shop.example/v1" is removed. Clients call it today.',
      'additive GET /pets/{id}: The server "https://us.shop.example/v1" is added. Clients need not call it.',
    ],
    at: ["nowhere", "nowhere"],
  },
  "an operation loses its own servers": {
    ...operation({ servers: [US] }, {}),
    messages: [
      'breaking POST /pets: The server "https://us.shop.example/v1" is removed. Clients call it today.',
      'additive POST /pets: The server "/" is added. Clients need not call it.',
    ],
    at: ["nowhere", "nowhere"],
  },
  "an operation repeats the server of the document": {
    before: contract({ ...withOperation({}), servers: [EU] }),
    after: contract({ ...withOperation({ servers: [EU] }), servers: [EU] }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "an unknown keyword is added to the document": {
    ...document({}, { jsonSchemaDialect: "https://example.com/own" }),
    messages: [
      "breaking the document: `jsonSchemaDialect` is added. The comparison does not support this keyword, so it cannot rule out that a client breaks.",
    ],
    at: ["jsonSchemaDialect"],
  },
};
