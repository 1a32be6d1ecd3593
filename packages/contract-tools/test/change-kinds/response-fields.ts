import { answer, type ChangeKind, field, INTEGER, NAME, NAMED, STRING } from "./change-kind.ts";

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
