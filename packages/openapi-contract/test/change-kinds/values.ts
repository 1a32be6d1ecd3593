import { answer, body, type ChangeKind, field, INTEGER, listed, NAME, NAMED, ref, STRING } from "./change-kind.ts";

/** The changes to values, in both directions. */
export const VALUES: Record<string, ChangeKind> = {
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
      'additive POST /pets: Request body: `not` changes behind {"$ref":"#/components/schemas/Old"}. Widens the request: the service accepts more.',
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
};
