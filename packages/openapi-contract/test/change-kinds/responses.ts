import {
  answer,
  type ChangeKind,
  field,
  header,
  INTEGER,
  json,
  NAME,
  NAMED,
  OK,
  responses,
  STRING,
} from "./change-kind.ts";

/** The changes to responses. */
export const RESPONSES: Record<string, ChangeKind> = {
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
};

/** The changes to headers of responses. */
export const RESPONSE_HEADERS: Record<string, ChangeKind> = {
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
};

/** The changes to fields of responses. */
export const RESPONSE_FIELDS: Record<string, ChangeKind> = {
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
};
