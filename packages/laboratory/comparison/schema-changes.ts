import { type Json, object, TEXT, WHOLE } from "./parts.ts";

/** Changes of one schema, by their effect on the set of valid values. Each is tried at several places of a contract. */

type Schema = Json | boolean;

/** The set of values of the later schema, compared with that of the earlier one. */
export type Effect = "same" | "wider" | "narrower" | "other";

export type SchemaChange = [kind: string, before: Schema, after: Schema, effect: Effect];

const values = (...list: unknown[]) => ({ type: "string", enum: list });
const consts = (...list: unknown[]) => ({ oneOf: list.map((value) => ({ const: value })) });
const list = (more: Json = {}) => ({ type: "array", ...more });
const condition = (branch: "then" | "else", schema: Json) => ({ if: { required: ["a"] }, [branch]: schema });
const CAT = object({ kind: { const: "cat" }, a: TEXT }, { required: ["kind"] });
const DOG = object({ kind: { const: "dog" }, b: TEXT }, { required: ["kind"] });
const A = object({ a: TEXT }, { required: ["a"] });
const B = object({ b: TEXT }, { required: ["b"] });

/** Changes that make more values valid. Their reverse makes fewer valid. */
const WIDENING: [kind: string, before: Schema, after: Schema][] = [
  ["a value of an enum", values("a"), values("a", "b")],
  ["an enum", values("a"), TEXT],
  ["a const", { const: "a" }, values("a", "b")],
  ["a value of a oneOf of consts", consts("a"), consts("a", "b")],
  ["a value of two consts", consts("a", "b"), consts("a", "b", "c")],
  ["a value of an anyOf of consts", { anyOf: [{ const: 1 }] }, { anyOf: [{ const: 1 }, { const: 2 }] }],
  [
    "a typed const",
    {
      oneOf: [
        { ...TEXT, const: "a" },
        { ...TEXT, const: "b" },
      ],
    },
    values("a", "b", "c"),
  ],
  ["null", TEXT, { type: ["string", "null"] }],
  ["null as an alternative", TEXT, { anyOf: [TEXT, { type: "null" }] }],
  ["a type", TEXT, { type: ["string", "boolean"] }],
  ["all types", TEXT, {}],
  ["numbers besides integers", WHOLE, { type: "number" }],
  ["longer strings", { ...TEXT, maxLength: 5 }, { ...TEXT, maxLength: 6 }],
  ["strings of any length", { ...TEXT, maxLength: 5 }, TEXT],
  ["shorter strings", { ...TEXT, minLength: 2 }, { ...TEXT, minLength: 1 }],
  ["smaller numbers", { ...WHOLE, minimum: 1 }, { ...WHOLE, minimum: 0 }],
  ["greater numbers", { ...WHOLE, maximum: 1 }, { ...WHOLE, maximum: 2 }],
  ["the bound itself", { type: "number", exclusiveMinimum: 1 }, { type: "number", minimum: 1 }],
  ["multiples of a divisor", { ...WHOLE, multipleOf: 4 }, { ...WHOLE, multipleOf: 2 }],
  ["strings of any pattern", { ...TEXT, pattern: "^[a-z]+$" }, { ...TEXT, pattern: ".*" }],
  ["strings without a pattern", { ...TEXT, pattern: "^[a-z]+$" }, TEXT],
  ["strings without a format", { ...TEXT, format: "date" }, TEXT],
  ["references that are relative", { ...TEXT, format: "uri" }, { ...TEXT, format: "uri-reference" }],
  ["longer integers", { ...WHOLE, format: "int32" }, { ...WHOLE, format: "int64" }],
  ["values of a negation", { ...TEXT, not: { const: "a" } }, TEXT],
  ["values of a wider negation", { ...TEXT, not: { maxLength: 2 } }, { ...TEXT, not: { maxLength: 1 } }],
  ["any value where none was", false, TEXT],
  ["any value where `not` excluded all", { not: {} }, TEXT],
  ["values of a member that was false", { anyOf: [TEXT, false] }, { anyOf: [TEXT, WHOLE] }],
  ["items where none was", list({ items: false }), list({ items: TEXT })],
  ["items of any type", list({ items: TEXT }), list()],
  ["first items of any type", list({ prefixItems: [TEXT] }), list()],
  ["more items after the first", list({ prefixItems: [TEXT], items: false }), list({ prefixItems: [TEXT] })],
  ["longer lists", list({ maxItems: 1 }), list({ maxItems: 2 })],
  ["empty lists", list({ minItems: 1 }), list()],
  ["equal items", list({ uniqueItems: true }), list()],
  ["lists without an item", list({ contains: TEXT }), list()],
  ["lists with fewer of an item", list({ contains: TEXT, minContains: 2 }), list({ contains: TEXT })],
  ["lists with more of an item", list({ contains: TEXT, maxContains: 2 }), list({ contains: TEXT, maxContains: 3 })],
  ["an optional field", A, object({ a: TEXT })],
  ["a wider field", object({ a: { ...TEXT, maxLength: 1 } }), object({ a: TEXT })],
  ["names of any form", object({}, { propertyNames: { maxLength: 3 } }), object({})],
  ["fewer fields", object({}, { minProperties: 1 }), object({})],
  ["more fields", object({}, { maxProperties: 1 }), object({}, { maxProperties: 2 })],
  [
    "other values of a map",
    object({}, { additionalProperties: WHOLE }),
    object({}, { additionalProperties: { type: "number" } }),
  ],
  ["a field without another", object({}, { dependentRequired: { a: ["b"] } }), object({})],
  ["a field without a schema", object({}, { dependentSchemas: { a: A } }), object({})],
  ["fields of a pattern", object({}, { patternProperties: { "^x-": TEXT } }), object({})],
  ["no condition", { ...object({}), ...condition("then", { required: ["b"] }) }, object({})],
  ["no other branch", { ...object({}), ...condition("else", { required: ["b"] }) }, object({})],
  ["an alternative", { oneOf: [CAT] }, { oneOf: [CAT, DOG] }],
  ["an alternative of anyOf", { anyOf: [A] }, { anyOf: [A, B] }],
  ["two alternatives at once", { oneOf: [A, B] }, { anyOf: [A, B] }],
  ["a wider alternative", { oneOf: [CAT, WHOLE] }, { oneOf: [CAT, { type: "number" }] }],
  ["one schema of an allOf", { allOf: [{ minLength: 1 }, TEXT] }, { allOf: [TEXT] }],
];

/** Changes of the notation. */
const SAME: [kind: string, before: Schema, after: Schema][] = [
  ["a description", TEXT, { ...TEXT, description: "Text." }],
  ["a description inside allOf", { allOf: [TEXT] }, { allOf: [{ ...TEXT, title: "Text" }] }],
  ["a description inside oneOf", { oneOf: [TEXT, WHOLE] }, { oneOf: [{ ...TEXT, description: "Text." }, WHOLE] }],
  [
    "an example of a map",
    object({}, { additionalProperties: TEXT }),
    object({}, { additionalProperties: { ...TEXT, example: "a" } }),
  ],
  ["an extension inside not", { ...TEXT, not: { const: "a" } }, { ...TEXT, not: { const: "a", "x-note": 1 } }],
  ["a comment inside items", list({ items: TEXT }), list({ items: { ...TEXT, $comment: "a" } })],
  ["an anchor", TEXT, { ...TEXT, $anchor: "text" }],
  ["the names of XML", TEXT, { ...TEXT, xml: { name: "t" } }],
  ["a hint for forms", TEXT, { ...TEXT, format: "password" }],
  ["a list of one type", TEXT, { type: ["string"] }],
  ["the order of types", { type: ["string", "null"] }, { type: ["null", "string"] }],
  ["integers beside numbers", { type: "number" }, { type: ["integer", "number"] }],
  ["null by anyOf", { type: ["string", "null"] }, { anyOf: [TEXT, { type: "null" }] }],
  ["a type beside an enum", { enum: ["a", "b"] }, values("a", "b")],
  ["a type beside a const", { const: "a" }, { ...TEXT, const: "a" }],
  ["an enum of one", { const: "a" }, { enum: ["a"] }],
  ["the order of an enum", values("a", "b"), values("b", "a")],
  ["an enum by consts", values("a", "b"), consts("a", "b")],
  ["an enum by anyOf", values("a", "b"), { anyOf: [{ const: "a" }, { const: "b" }] }],
  ["a value that the type excludes", values("a"), values("a", null)],
  ["a bound that the values keep", values("a", "b"), { ...values("a", "b"), maxLength: 5 }],
  ["a length of zero", TEXT, { ...TEXT, minLength: 0 }],
  ["a count of zero", list(), list({ minItems: 0, uniqueItems: false })],
  ["a bound of integers", { ...WHOLE, exclusiveMinimum: 0 }, { ...WHOLE, minimum: 1 }],
  ["a fraction as a bound of integers", { ...WHOLE, minimum: 0.5 }, { ...WHOLE, minimum: 1 }],
  ["multiples of one", WHOLE, { ...WHOLE, multipleOf: 1 }],
  ["a pattern of any string", TEXT, { ...TEXT, pattern: "" }],
  ["no required field", object({}), object({}, { required: [] })],
  ["the order of required fields", object({}, { required: ["a", "b"] }), object({}, { required: ["b", "a"] })],
  ["open fields", object({}), object({}, { additionalProperties: true })],
  ["open fields by a schema", object({}), object({}, { additionalProperties: {} })],
  [
    "a dependency by schemas",
    object({}, { dependentRequired: { a: ["b"] } }),
    object({}, { dependentSchemas: { a: { required: ["b"] } } }),
  ],
  ["a count that required fields reach", A, { ...A, minProperties: 1 }],
  ["items of any type", list(), list({ items: {} })],
  ["a list without items", list({ items: false }), list({ maxItems: 0 })],
  ["an allOf of one", TEXT, { allOf: [TEXT] }],
  ["an allOf of parts", object({ a: TEXT, b: TEXT }), { allOf: [object({ a: TEXT }), object({ b: TEXT })] }],
  ["an anyOf of one", TEXT, { anyOf: [TEXT] }],
  ["an equal alternative", { anyOf: [TEXT, WHOLE] }, { anyOf: [TEXT, WHOLE, TEXT] }],
  ["the order of alternatives", { oneOf: [CAT, DOG] }, { oneOf: [DOG, CAT] }],
  ["a choice of others", { anyOf: [CAT, DOG] }, { oneOf: [CAT, DOG] }],
  ["a choice of two types", { anyOf: [TEXT, WHOLE] }, { oneOf: [TEXT, WHOLE] }],
  ["a choice by types", { anyOf: [TEXT, WHOLE] }, { type: ["string", "integer"] }],
  ["a member that is false", TEXT, { anyOf: [TEXT, false] }],
  ["no value in two ways", false, { not: {} }],
  ["a negation without effect", TEXT, { ...TEXT, not: { type: "boolean" } }],
  ["a negation of nothing", TEXT, { ...TEXT, not: false }],
  ["a count of no item", list(), list({ minContains: 2 })],
  ["a branch of no condition", object({}), { ...object({}), ...condition("then", {}) }],
  ["a component", TEXT, { $ref: "#/components/schemas/Text" }],
];

/** Changes that exclude values and make others valid. */
const OTHER: [kind: string, before: Schema, after: Schema][] = [
  ["a type", TEXT, WHOLE],
  ["a format", { ...TEXT, format: "date" }, { ...TEXT, format: "uuid" }],
  ["a pattern", { ...TEXT, pattern: "^a$" }, { ...TEXT, pattern: "^b$" }],
  ["a value", { const: "a" }, { const: "b" }],
  ["a multiple", { ...WHOLE, multipleOf: 4 }, { ...WHOLE, multipleOf: 6 }],
  ["both bounds", { ...WHOLE, minimum: 1, maximum: 5 }, { ...WHOLE, minimum: 2, maximum: 6 }],
  ["the kind of a value", TEXT, list({ items: TEXT })],
  ["the values of a map", object({}, { additionalProperties: WHOLE }), object({}, { additionalProperties: TEXT })],
  [
    "overlapping alternatives",
    { oneOf: [{ maxLength: 5 }, { minLength: 6 }] },
    { oneOf: [{ maxLength: 9 }, { minLength: 6 }] },
  ],
];

/** Every change of a schema, with its reverse. */
export const SCHEMA_CHANGES: SchemaChange[] = [
  ...WIDENING.flatMap(([kind, before, after]): SchemaChange[] => [
    [`${kind} becomes valid`, before, after, "wider"],
    [`${kind} becomes invalid`, after, before, "narrower"],
  ]),
  ...SAME.flatMap(([kind, before, after]): SchemaChange[] => [
    [`${kind} is written`, before, after, "same"],
    ...(JSON.stringify(after).includes("$ref")
      ? []
      : ([[`${kind} is no longer written`, after, before, "same"]] as SchemaChange[])),
  ]),
  ...OTHER.flatMap(([kind, before, after]): SchemaChange[] => [
    [`${kind} changes`, before, after, "other"],
    [`${kind} changes back`, after, before, "other"],
  ]),
];

/** Changes of a value that is sent as text, such as a parameter. */
export const TEXT_CHANGES: SchemaChange[] = (
  [
    ["an integer becomes a string", WHOLE, TEXT, "wider"],
    ["a number becomes a string", { type: "number" }, TEXT, "wider"],
    ["a boolean becomes a string", { type: "boolean" }, TEXT, "wider"],
    ["a boolean becomes two values", { type: "boolean" }, values("true", "false"), "same"],
    ["an integer becomes a number", WHOLE, { type: "number" }, "wider"],
    ["an integer of an enum becomes a string", { ...WHOLE, enum: [1, 2] }, values("1", "2"), "same"],
    ["an integer becomes a boolean", WHOLE, { type: "boolean" }, "other"],
    ["an integer becomes one of two values", WHOLE, values("a", "b"), "other"],
    ["a value of an enum is added", values("a"), values("a", "b"), "wider"],
    ["a bound is removed", { ...WHOLE, maximum: 9 }, WHOLE, "wider"],
  ] satisfies SchemaChange[]
).flatMap(([kind, before, after, effect]: SchemaChange): SchemaChange[] => [
  [kind, before, after, effect],
  [`the reverse of ${kind}`, after, before, effect === "wider" ? "narrower" : effect],
]);
