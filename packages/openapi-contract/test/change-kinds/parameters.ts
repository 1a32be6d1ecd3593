import { type ChangeKind, document, INTEGER, json, limit, NAME, OK, query, STRING } from "./change-kind.ts";

/** The changes to parameters. */
export const PARAMETERS: Record<string, ChangeKind> = {
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
};
