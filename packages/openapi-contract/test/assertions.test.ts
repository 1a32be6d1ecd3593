import { describe, expect, test } from "vitest";
import { compareContracts } from "../src/comparison/compare.ts";

type Json = Record<string, unknown>;

const PLACE = "POST /pets: Request body";
const ADDED = "Narrows the request: the service rejects requests that clients may send today.";
const REMOVED = "Widens the request: the service accepts more.";
const CHANGED = "Changes the request: the service may reject requests that clients send today.";

/** Returns the messages for a changed request schema, each with its impact. */
function messagesOf(before: unknown, after: unknown, schemas: Json = {}, schemasAfter = schemas): string[] {
  const accepting = (schema: unknown, named: Json) => ({
    openapi: "3.1.1",
    paths: {
      "/pets": {
        post: { requestBody: { content: { "application/json": { schema: schema as object } } }, responses: {} },
      },
    },
    components: { schemas: named as Record<string, object> },
  });
  const changes = compareContracts({ before: accepting(before, schemas), after: accepting(after, schemasAfter) });
  return changes.map(({ impact, place, message }) => `${impact} ${place}: ${message}`);
}

const TYPED = { type: "string" };
const RESTRICTING: [keyword: string, value: unknown][] = [
  ["pattern", "^a"],
  ["format", "date"],
  ["multipleOf", 2],
  ["uniqueItems", true],
  ["not", TYPED],
  ["propertyNames", TYPED],
  ["dependentRequired", { a: ["b"] }],
  ["dependentSchemas", { a: TYPED }],
  ["contains", TYPED],
  ["unevaluatedItems", TYPED],
];
const CONTENT: [keyword: string, value: unknown][] = [
  ["contentEncoding", "base64"],
  ["contentMediaType", "text/csv"],
  ["contentSchema", TYPED],
];

test.each(RESTRICTING)("`%s` narrows when it is added, and widens when it is removed", (keyword, value) => {
  const schema = { [keyword]: value };
  const text = JSON.stringify(value);
  expect(messagesOf({}, schema)).toEqual([`breaking ${PLACE}: \`${keyword}\` ${text} is added. ${ADDED}`]);
  expect(messagesOf(schema, {})).toEqual([`additive ${PLACE}: \`${keyword}\` ${text} is removed. ${REMOVED}`]);
});

test.each(CONTENT)("`%s` changes the request when it is added or removed", (keyword, value) => {
  const schema = { [keyword]: value };
  const text = JSON.stringify(value);
  expect(messagesOf({}, schema)).toEqual([`breaking ${PLACE}: \`${keyword}\` ${text} is added. ${CHANGED}`]);
  expect(messagesOf(schema, {})).toEqual([`breaking ${PLACE}: \`${keyword}\` ${text} is removed. ${CHANGED}`]);
});

test.each([
  ["prefixItems", [TYPED], "[0]"],
  ["items", TYPED, "[]"],
  ["patternProperties", { "^a": TYPED }, "/^a/"],
  ["unevaluatedProperties", TYPED, "*"],
  ["additionalProperties", TYPED, "*"],
])("`%s` narrows a part of the value when it is added, and widens when it is removed", (keyword, value, field) => {
  const schema = { [keyword]: value };
  const part = `${PLACE}, field "${field}": the type changes`;
  expect(messagesOf({}, schema)).toEqual([`breaking ${part} from any to string. ${ADDED}`]);
  expect(messagesOf(schema, {})).toEqual([`additive ${part} from string to any. ${REMOVED}`]);
});

test("a condition narrows when a branch is added, and is nothing without one", () => {
  const condition = { if: { required: ["a"] } };
  const NOTATION = ["documentation the document: Only the notation changes. Nothing changes for clients."];
  for (const branch of ["then", "else"]) {
    const schema = { ...condition, [branch]: { required: ["b"] } };
    const text = `\`if\` ${JSON.stringify(condition.if)} is`;
    expect(messagesOf(condition, schema)).toEqual([`breaking ${PLACE}: ${text} added. ${ADDED}`]);
    expect(messagesOf(schema, condition)).toEqual([`additive ${PLACE}: ${text} removed. ${REMOVED}`]);
    expect(messagesOf({}, { [branch]: { required: ["b"] } })).toEqual(NOTATION);
  }
  for (const count of ["minContains", "maxContains"]) expect(messagesOf({}, { [count]: 2 })).toEqual(NOTATION);
});

test.each([
  ["uniqueItems", false],
  ["unevaluatedItems", true],
  ["unevaluatedProperties", true],
])("`%s` %s excludes no value", (keyword, value) => {
  const messages = messagesOf({}, { [keyword]: value });
  expect(messages).toEqual(["documentation the document: Only the notation changes. Nothing changes for clients."]);
});

describe("behind a reference", () => {
  const A = { $ref: "#/components/schemas/A" };
  const [short, long, described] = [{ maxLength: 1 }, { maxLength: 2 }, { maxLength: 1, title: "a" }].map((a) => ({
    A: a,
  }));
  const TITLED = ["documentation components/schemas/A: `title` is added. A description promises nothing."];

  const WIDER = `additive ${PLACE}`;
  test.each<[keyword: string, schema: Json, start: string, end: string]>([
    ["not", { not: A }, `breaking ${PLACE}`, ADDED],
    ["propertyNames", { propertyNames: A }, WIDER, REMOVED],
    ["contains", { contains: A }, WIDER, REMOVED],
    ["unevaluatedItems", { unevaluatedItems: A }, `breaking ${PLACE}`, CHANGED],
    ["contentSchema", { contentSchema: A }, `breaking ${PLACE}`, CHANGED],
  ])("the schema of `%s` is compared", (keyword, schema, start, end) => {
    expect(messagesOf(schema, schema, short, long)).toEqual([
      `${start}: \`${keyword}\` changes behind {"$ref":"#/components/schemas/A"}. ${end}`,
    ]);
    expect(messagesOf(schema, schema, short, described)).toEqual(TITLED);
    const bounded = messagesOf(schema, { ...schema, minLength: 1 }, short, described);
    expect(bounded).toEqual([`breaking ${PLACE}: \`minLength\` 1 is added. ${ADDED}`, ...TITLED]);
  });

  const branch = (schema: Json, keyword = "then") => ({ [keyword]: schema });
  test.each<[keyword: string, schema: Json, end: string]>([
    ["if", { if: A, else: { minLength: 1 } }, ADDED],
    ["then", { if: { minLength: 1 }, ...branch(A) }, REMOVED],
    ["else", { if: { maxLength: 9 }, else: A }, REMOVED],
  ])("the schema of `%s` is compared", (_keyword, schema, end) => {
    const [message] = messagesOf(schema, schema, short, long);
    expect(message).toContain(`\`if\` changes behind ${JSON.stringify(schema["if"])}`);
    expect(message).toContain(end === ADDED ? CHANGED : end);
    expect(messagesOf(schema, schema, short, described)).toEqual(TITLED);
  });

  test("each schema of `dependentSchemas` is compared", () => {
    const schema = { dependentSchemas: { b: { type: "string" }, a: A } };
    expect(messagesOf(schema, schema, short, long)).toEqual([
      `additive ${PLACE}: \`dependentSchemas\` changes behind {"b":{"type":"string"},"a":{"$ref":"#/components/schemas/A"}}. ${REMOVED}`,
    ]);
    expect(messagesOf(schema, schema, short, described)).toEqual(TITLED);
    const more = { dependentSchemas: { ...schema.dependentSchemas, c: { type: "object" } } };
    expect(messagesOf(schema, more, short).concat(messagesOf(more, schema, short))).toHaveLength(2);
  });

  test("each schema of `patternProperties` is compared", () => {
    const schema = { patternProperties: { b: { type: "string" }, a: A } };
    expect(messagesOf(schema, schema, short, long)).toEqual([
      `additive ${PLACE}, field "/a/": \`maxLength\` changes from 1 to 2. ${REMOVED}`,
    ]);
    expect(messagesOf(schema, schema, short, described)).toEqual(TITLED);
  });

  test("each schema of `prefixItems` is compared", () => {
    const schema = { prefixItems: [A, { type: "string" }] };
    expect(messagesOf(schema, schema, short, long)).toHaveLength(1);
    expect(messagesOf(schema, schema, short, described)).toEqual(TITLED);
  });
});

test.each([
  ["minimum", 1],
  ["exclusiveMinimum", 1],
  ["minLength", 1],
  ["minItems", 1],
  ["minProperties", 1],
  ["maximum", -1],
  ["exclusiveMaximum", -1],
  ["maxLength", -1],
  ["maxItems", -1],
  ["maxProperties", -1],
] as const)("`%s` narrows and widens by its size", (keyword, sign) => {
  const [loose, tight] = [{ [keyword]: 5 }, { [keyword]: 5 + sign }];
  const name = keyword.replace("exclusiveM", "m");
  const text = (value: number) => (name === keyword ? String(value) : `${value} (excluded)`);
  expect(messagesOf(loose, tight)).toEqual([
    `breaking ${PLACE}: \`${name}\` changes from ${text(5)} to ${text(5 + sign)}. ${ADDED}`,
  ]);
  expect(messagesOf(tight, loose)).toEqual([
    `additive ${PLACE}: \`${name}\` changes from ${text(5 + sign)} to ${text(5)}. ${REMOVED}`,
  ]);
  expect(messagesOf({}, tight)).toEqual([`breaking ${PLACE}: \`${name}\` ${text(5 + sign)} is added. ${ADDED}`]);
});

test("the tightest of several bounds is compared, and an exclusive bound is tighter", () => {
  const all = (...bounds: Json[]) => ({ allOf: bounds });
  const change = (from: string, to: string) => [
    `breaking ${PLACE}: \`minimum\` changes from ${from} to ${to}. ${ADDED}`,
  ];
  expect(messagesOf(all({ minimum: 1 }, { minimum: 3 }), all({ minimum: 1 }, { minimum: 4 }))).toEqual(
    change("3", "4"),
  );
  expect(messagesOf(all({ minimum: 3 }, { minimum: 1 }), all({ minimum: 4 }, { minimum: 1 }))).toEqual(
    change("3", "4"),
  );
  expect(messagesOf({ minimum: 3, exclusiveMinimum: 3 }, { minimum: 4, exclusiveMinimum: 3 })).toEqual(
    change("3 (excluded)", "4"),
  );
  // OpenAPI 3.0 marks an exclusive bound by a flag.
  expect(messagesOf({ minimum: 3 }, { minimum: 3, exclusiveMinimum: true })).toEqual(change("3", "3 (excluded)"));
  expect(messagesOf({ minimum: 3, exclusiveMinimum: true }, { minimum: 4 })).toEqual(change("3 (excluded)", "4"));
});

test.each<[keyword: string, before: unknown, after: unknown, impact: string]>([
  ["format", "int32", "int64", "additive"],
  ["format", "int64", "int32", "breaking"],
  ["format", "float", "double", "additive"],
  ["format", "date", "time", "breaking"],
  ["format", "iri", "iri-reference", "additive"],
  ["pattern", "int32", "int64", "breaking"],
  ["pattern", "int64", "int32", "breaking"],
  ["multipleOf", 2, 4, "breaking"],
  ["multipleOf", 4, 2, "additive"],
  ["multipleOf", 4, 6, "breaking"],
  ["pattern", "4", "2", "breaking"],
])("the impact of a change of `%s` from %s to %s", (keyword, before, after, impact) => {
  const [change] = messagesOf({ [keyword]: before }, { [keyword]: after });
  expect(change).toContain(`${impact} ${PLACE}: \`${keyword}\` changes from `);
});

test("a narrower format or multiple narrows the request, and a different multiple changes it", () => {
  expect(messagesOf({ format: "int64" }, { format: "int32" })[0]).toContain(ADDED);
  expect(messagesOf({ multipleOf: 4 }, { multipleOf: 6 })[0]).toContain(CHANGED);
  expect(messagesOf({ multipleOf: 2 }, { multipleOf: 4 })[0]).toContain(ADDED);
});

test("several patterns or multiples are compared together", () => {
  const patterns = (...texts: string[]) => ({ allOf: texts.map((pattern) => ({ pattern })) });
  expect(messagesOf(patterns("a", "b"), patterns("c"))).toEqual([
    `breaking ${PLACE}: \`pattern\` changes from "a" and "b" to "c". ${CHANGED}`,
  ]);
  const multiples = (...numbers: number[]) => ({ allOf: numbers.map((multipleOf) => ({ multipleOf })) });
  expect(messagesOf(multiples(4, 6), multiples(2))[0]).toContain(`additive ${PLACE}`);
  expect(messagesOf(multiples(4, 6), multiples(8))[0]).toContain(CHANGED);
  expect(messagesOf(multiples(2), multiples(4, 5))[0]).toContain(ADDED);
});

test("up to nine values are listed", () => {
  const values = (count: number) => ({ enum: Array.from({ length: count }, (_, index) => index) });
  expect(messagesOf({}, values(9))).toEqual([
    `breaking ${PLACE}: the values are limited to 0, 1, 2, 3, 4, 5, 6, 7, 8. ${ADDED}`,
  ]);
  expect(messagesOf({}, values(10))[0]).toContain("limited to 0, 1, 2, 3, 4, 5, 6, 7, 8, …. ");
});

test("a narrower type narrows the request, and another type changes it", () => {
  expect(messagesOf({ type: "number" }, { type: "integer" })[0]).toContain(ADDED);
  expect(messagesOf({ type: "number" }, { type: "string" })[0]).toContain(CHANGED);
  expect(messagesOf({ type: "boolean" }, { type: "integer" })[0]).toContain(CHANGED);
  expect(messagesOf({}, { type: "integer" })).toEqual([
    `breaking ${PLACE}: the type changes from any to integer. ${ADDED}`,
  ]);
  // The other constraints are compared between two numeric types, but not between a number and a string.
  expect(messagesOf({ type: "integer", maximum: 5 }, { type: "number", maximum: 4 })).toHaveLength(2);
  expect(messagesOf({ type: "number", maximum: 5 }, { type: "integer", maximum: 4 })).toHaveLength(2);
  expect(
    messagesOf({ type: "integer", maximum: 5, enum: [1] }, { type: "string", maximum: 4, enum: ["a"] }),
  ).toHaveLength(1);
});

describe("alternatives", () => {
  const CAT = { type: "object", required: ["claws"] };
  const DOG = { type: "object", required: ["bark"] };

  test("are named by their component, their title or their type", () => {
    const schemas = { Cat: CAT };
    const cat = { $ref: "#/components/schemas/Cat" };
    expect(messagesOf({ anyOf: [DOG] }, { anyOf: [DOG, cat] }, schemas)).toEqual([
      `additive ${PLACE}: the alternative Cat is added. ${REMOVED}`,
    ]);
    expect(messagesOf({ anyOf: [DOG] }, { anyOf: [DOG, { ...CAT, title: "A cat" }] })).toEqual([
      `additive ${PLACE}: the alternative A cat is added. ${REMOVED}`,
    ]);
    expect(messagesOf({ anyOf: [DOG, { minLength: 1 }] }, { anyOf: [DOG] })).toEqual([
      `breaking ${PLACE}: the alternative of any type is removed. ${ADDED}`,
    ]);
  });

  test("of one component are compared with each other, even if another component looks alike", () => {
    const refs = ["Cat", "Dog"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const messages = messagesOf({ oneOf: refs }, { oneOf: refs }, { Cat: CAT, Dog: DOG }, { Cat: DOG, Dog: CAT });
    expect(messages.filter((text) => text.includes("added and required"))).toHaveLength(2);
  });

  test("with equal keywords are compared with each other, in any order", () => {
    const forms = [
      { type: "string", maxLength: 1, minLength: 1 },
      { type: "string", maxLength: 2 },
    ];
    const again = [
      { type: "string", maxLength: 2, title: "a" },
      { minLength: 1, maxLength: 1, type: "string" },
    ];
    expect(messagesOf({ oneOf: forms }, { oneOf: again }).filter((text) => !text.startsWith("documentation"))).toEqual(
      [],
    );
  });

  test("have no effect beside an alternative of any type", () => {
    const anything = { description: "Anything." };
    expect(messagesOf({ anyOf: [CAT, DOG] }, { anyOf: [CAT, anything] })).toEqual([
      `additive ${PLACE}: the alternative of any type is added. ${REMOVED}`,
    ]);
    expect(messagesOf({ anyOf: [CAT, anything] }, { anyOf: [CAT, DOG] })).toEqual([
      `breaking ${PLACE}: the alternative of any type is removed. ${ADDED}`,
    ]);
    expect(messagesOf({ anyOf: [CAT, DOG] }, { anyOf: [CAT, { type: "string" }] })).toHaveLength(2);
    expect(messagesOf({ anyOf: [CAT, { minLength: 2 }] }, { anyOf: [CAT, { type: "string" }] })).toHaveLength(2);
  });
});

test("a removed or changed name of a discriminator is reported, but not an added one", () => {
  const schema = (mapping?: Json) => ({
    oneOf: [{ type: "object" }, { type: "string" }],
    discriminator: { propertyName: "kind", ...(mapping && { mapping }) },
  });
  const messages = [`breaking ${PLACE}: \`discriminator\` changes. ${CHANGED}`];
  expect(messagesOf(schema({ a: "A" }), schema({ a: "A", b: "B" }))).not.toEqual(messages);
  expect(messagesOf(schema({ a: "A", b: "B" }), schema({ a: "A" }))).toEqual(messages);
  expect(messagesOf(schema({ a: "A", b: "B" }), schema({ a: "A", b: "C" }))).toEqual(messages);
  expect(messagesOf(schema({ a: "A" }), schema())).toEqual(messages);
});
