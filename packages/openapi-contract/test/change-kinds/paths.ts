import {
  called,
  type ChangeKind,
  document,
  type Json,
  json,
  limit,
  NAME,
  NAMED,
  OK,
  operation,
  path,
  ref,
  STRING,
} from "./change-kind.ts";

const answered = (responses: Json, more: Json = {}) => ({ sold: { post: { responses, ...more } } });

/** The changes to paths and operations. */
export const PATHS: Record<string, ChangeKind> = {
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
  "an operation is deprecated with a sunset and a successor": {
    ...operation(
      {},
      { deprecated: true, "x-deprecated-at": "2026-12-05", "x-sunset": "2030-12-05", "x-successor": "addPet" },
    ),
    messages: [
      "additive POST /pets: The operation is deprecated. It may be removed from 2030-12-05 on. Use `addPet` instead.",
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
      'breaking POST /pets: `x-sunset` changes from "2030-12-05" to "2028-12-05". Clients rely on the date that was announced.',
    ],
    at: ["x-sunset"],
  },
  "a sunset is postponed": {
    ...operation({ "x-sunset": "2028-12-05" }, { "x-sunset": "2030-12-05" }),
    messages: [
      'additive POST /pets: `x-sunset` changes from "2028-12-05" to "2030-12-05". A deprecation is announced with a minor version (Semantic Versioning, item 7).',
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
    at: ["callbacks/sold"],
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
    messages: [
      'additive POST /pets: Callback "sold", request body, field "name" becomes required. Narrows the call: the service promises more.',
    ],
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
  "a callback may send longer values": {
    ...operation(
      { callbacks: { sold: called(NAME) } },
      { callbacks: { sold: called({ ...NAME, properties: { name: { ...STRING, maxLength: 10 } } }) } },
    ),
    messages: [
      'breaking POST /pets: Callback "sold", request body, field "name": `maxLength` changes from 9 to 10. Widens the call: clients may not understand the new values.',
    ],
    at: [
      "callbacks/sold/{$request.body#/url}/post/requestBody/content/application/json/schema/properties/name/maxLength",
    ],
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
    at: ["webhooks/{$request.body#/url}/post"],
  },
  "a webhook promises a field": {
    ...document({ webhooks: called(NAME) }, { webhooks: called(NAMED) }),
    messages: [
      'additive webhooks/{$request.body#/url}: Request body, field "name" becomes required. Narrows the call: the service promises more.',
    ],
    at: ["webhooks/{$request.body#/url}/post/requestBody/content/application/json/schema/required"],
  },
  "a webhook no longer promises a field": {
    ...document({ webhooks: called(NAMED) }, { webhooks: called(NAME) }),
    messages: [
      'breaking webhooks/{$request.body#/url}: Request body, field "name" becomes optional. Widens the call: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "a webhook accepts another status": {
    ...document({ webhooks: answered({ "204": OK }) }, { webhooks: answered({ "204": OK, "202": OK }) }),
    messages: ["additive webhooks/sold: Response 202 is added. Clients need not answer with it."],
    at: ["webhooks/sold/post/responses/202"],
  },
  "a webhook no longer accepts a status": {
    ...document({ webhooks: answered({ "204": OK, "202": OK }) }, { webhooks: answered({ "204": OK }) }),
    messages: ["breaking webhooks/sold: Response 202 is removed. Clients may answer with it today."],
    at: ["nowhere"],
  },
  "a webhook requires a field of its reply": {
    ...document(
      { webhooks: answered({ "200": { ...OK, ...json(NAME) } }) },
      { webhooks: answered({ "200": { ...OK, ...json(NAMED) } }) },
    ),
    messages: [
      'breaking webhooks/sold: Response 200, field "name" becomes required. Narrows the reply: the service rejects replies that clients may send today.',
    ],
    at: ["webhooks/sold/post/responses/200/content/application/json/schema/required"],
  },
  "a webhook sends one more header": {
    ...document(
      { webhooks: answered({ "204": OK }) },
      { webhooks: answered({ "204": OK }, { parameters: [limit({ in: "header", required: true })] }) },
    ),
    messages: ['additive webhooks/sold: Header parameter "limit" is added. Clients ignore unknown values.'],
    at: ["webhooks/sold/post/parameters/0"],
  },
  "a webhook gets another method": {
    ...document(
      { webhooks: answered({ "204": OK }) },
      { webhooks: { sold: { ...answered({ "204": OK }).sold, put: { responses: { "204": OK } } } } },
    ),
    messages: ["additive webhooks/sold: PUT of the webhook is added. Clients need not implement it."],
    at: ["webhooks/sold/put"],
  },
  "a webhook sends another media type": {
    ...document(
      { webhooks: answered({ "204": OK }, { requestBody: json(NAME) }) },
      { webhooks: answered({ "204": OK }, { requestBody: { content: { ...json(NAME).content, "text/csv": {} } } }) },
    ),
    messages: ["breaking webhooks/sold: Request body: text/csv is added. Clients may not understand it."],
    at: ["webhooks/sold/post/requestBody/content/text/csv"],
  },
};
