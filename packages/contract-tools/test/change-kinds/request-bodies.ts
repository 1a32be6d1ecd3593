import { type ChangeKind, json, NAME, operation } from "./change-kind.ts";

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
