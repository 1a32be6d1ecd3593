import { body, type ChangeKind, field, INTEGER, json, NAME, NAMED, operation, STRING } from "./change-kind.ts";

/** The changes to request bodies. */
export const REQUEST_BODIES: Record<string, ChangeKind> = {
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
};

/** The changes to fields of requests. */
export const REQUEST_FIELDS: Record<string, ChangeKind> = {
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
};
