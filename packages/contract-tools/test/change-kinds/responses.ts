import { type ChangeKind, json, NAME, NAMED, OK, responses, STRING } from "./change-kind.ts";

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
