import { expect, test } from "vitest";
import { costlySchemas } from "../src/document/costly-schemas.ts";
import { operationsOf } from "../src/document/document.ts";
import { implement, type OpenApiDocument } from "../src/index.ts";

const node = { $ref: "#/components/schemas/Node" };
const member = (properties: object, required: string[] = []) => ({ type: "object", properties, required });

/** A document of one operation with a body schema, which may refer to other schemas. */
function documentOf(schema: object, Node: object = {}): OpenApiDocument {
  const requestBody = { content: { "application/json": { schema } } };
  const operation = { operationId: "x", requestBody, responses: { 200: { description: "" } } };
  return { openapi: "3.1.0", paths: { "/x": { post: operation } }, components: { schemas: { Node } } };
}

async function costsOf(document: OpenApiDocument): Promise<string[]> {
  const found = await costlySchemas(document, operationsOf(document)[0]!);
  return found.map(({ of, at, keyword }) => `${of}${at} ${keyword}`);
}

const list = (items: object | undefined, more: object = {}) => ({ type: "array", uniqueItems: true, items, ...more });
const text = (pattern: string, more: object = {}) => ({ type: "string", pattern, ...more });
const tagged = (kind: string) => member({ kind: { const: kind }, part: node }, ["kind"]);

test.each<[string, object, object | undefined, string[]]>([
  ["unique items that may be objects", list({ type: "object" }), undefined, ["body uniqueItems"]],
  ["unique items of any type", list(undefined), undefined, ["body uniqueItems"]],
  ["unique items named elsewhere", list(node), { type: "string" }, ["body uniqueItems"]],
  ["unique items in a property", member({ a: list({}) }), undefined, ["body/a uniqueItems"]],
  ["unique texts", list({ type: "string" }), undefined, []],
  ["few unique items", list({}, { maxItems: 50 }), undefined, []],
  ["a pattern whose tries double", text("^(a+)+$", { maxLength: 50 }), undefined, ["body pattern"]],
  ["a pattern whose tries grow with the square", text("^[a-z]+ *[a-z]+$"), undefined, ["body pattern"]],
  ["a pattern of two signs of repetition", text("^[a-z]+[a-z]+$"), undefined, ["body pattern"]],
  ["a pattern that may begin anywhere", text("[a-z]+$"), undefined, ["body pattern"]],
  ["such a pattern of short texts", text("[a-z]+$", { maxLength: 500 }), undefined, []],
  ["such a pattern of many short texts", list(text("[a-z]+$", { maxLength: 500 })), undefined, ["body/items pattern"]],
  [
    "a pattern whose tries grow with the cube",
    text("^[a-z]*[a-z0-9]*[a-z-]*$", { maxLength: 500 }),
    undefined,
    ["body pattern"],
  ],
  ["a pattern that may begin anywhere and goes on", text("foo.*bar"), undefined, ["body pattern"]],
  ["such a pattern with a plus", text("foo.+bar"), undefined, ["body pattern"]],
  ["a pattern of an escaped start", text("\\$\\{[^}]*\\}"), undefined, ["body pattern"]],
  ["a pattern of many lazy repetitions", text(`^${"a+?b+?".repeat(11)}$`), undefined, []],
  ["a pattern of bounds that leave few choices", text(`^${"[a-z]{20,25}".repeat(4)}$`), undefined, []],
  ["a pattern of many bounds of nine more", text(`^${"[a-z]{1,10}".repeat(6)}$`), undefined, []],
  ["a pattern of many bounds of ten more", text(`^${"[a-z]{1,11}".repeat(6)}$`), undefined, ["body pattern"]],
  ["a pattern of classes by property", text("^\\p{Ll}+\\p{Ll}+$"), undefined, ["body pattern"]],
  ["a pattern that refers back", text("^(.*)\\1$"), undefined, ["body pattern"]],
  ["a pattern that refers back and repeats nothing", text("^(a|b)\\1$"), undefined, []],
  ["a pattern of large bounds", text("^[a-z]{1,1000}[a-z]{1,1000}[a-z]{1,1000}$"), undefined, ["body pattern"]],
  ["a pattern of bounds in bounds", text("^(?:[a-z]{1,20}){1,20}$"), undefined, ["body pattern"]],
  ["a pattern of many optional characters", text(`^${"a?".repeat(26)}b$`), undefined, ["body pattern"]],
  ["a pattern beside a reference", { $ref: node.$ref, ...text("^(a+)+$") }, { type: "string" }, ["body pattern"]],
  ["a slug", text("^[a-z0-9]+(?:-[a-z0-9]+)*$"), undefined, []],
  ["a date", text("^\\d{4}-\\d{2}-\\d{2}$"), undefined, []],
  ["a version", text("^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$"), undefined, []],
  ["a domain", text("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"), undefined, []],
  ["a prefix", text("^x-"), undefined, []],
  ["a prefix and more", text("x-[a-z]+"), undefined, []],
  ["signs of repetition that are escaped", text("\\+\\*\\d"), undefined, []],
  ["signs of repetition in a class", text("[*+]-"), undefined, []],
  ["signs of repetition in a class, behind a bracket", text("[\\]*+]-"), undefined, []],
  ["a class that holds a bracket, repeated in the midst", text("a[\\]b]*c"), undefined, ["body pattern"]],
  ["a pattern of names", { patternProperties: { "^(a+)+$": {} } }, undefined, ["body pattern"]],
  ["a class that is repeated", text("^[A-Za-z0-9_-]+$"), undefined, []],
  ["groups that match in one way", text("^[a-z]+(?:-[a-z]+)*$"), undefined, []],
  ["no pattern at all", text("(a+"), undefined, []],
  [
    "members that validate the same part",
    node,
    { anyOf: [member({ part: node }, ["a"]), member({ part: node }, ["b"])] },
    ["body $ref"],
  ],
  [
    "members that validate the same items",
    { items: node },
    { oneOf: [{ items: node }, { items: node, maxItems: 3 }] },
    ["body/items $ref"],
  ],
  ["members that a required const tells apart", node, { oneOf: [tagged("a"), tagged("b")] }, []],
  ["members of the same required const", node, { oneOf: [tagged("a"), tagged("a")] }, ["body $ref"]],
  [
    "members of a const that is not required",
    node,
    { oneOf: ["a", "b"].map((kind) => member({ kind: { const: kind }, part: node })) },
    ["body $ref"],
  ],
  [
    "a property that any other name overlaps",
    node,
    { oneOf: [member({ part: node }), { additionalProperties: node }] },
    ["body $ref"],
  ],
  [
    "a property that a pattern overlaps",
    node,
    { ...member({ part: node }), patternProperties: { "^p": node } },
    ["body $ref"],
  ],
  ["a condition on the same part", node, { if: member({ part: node }), else: member({ part: node }) }, ["body $ref"]],
  [
    "a negation of the same part",
    node,
    { ...member({ part: node }), not: member({ part: { not: node } }, ["part"]) },
    ["body $ref"],
  ],
  [
    "dependent schemas of the same part",
    node,
    { ...member({ part: node }), dependentSchemas: { part: member({ part: node }) } },
    ["body $ref"],
  ],
  [
    "a required const ahead of another keyword",
    node,
    {
      anyOf: ["a", "b"].map((kind) => ({
        ...member({ kind: { const: kind } }, ["kind"]),
        allOf: [member({ part: node })],
      })),
    },
    ["body $ref"],
  ],
  ["a property and all other names", node, { ...member({ part: node }), additionalProperties: node }, []],
  ["the first items and all others", node, { prefixItems: [node], items: node }, []],
  ["items that are also counted", node, { items: node, contains: node }, ["body $ref"]],
  ["the first items, which are also counted", node, { contains: node, prefixItems: [node] }, ["body $ref"]],
  ["members that validate other parts", node, { oneOf: [member({ left: node }), member({ right: node })] }, []],
  ["a schema that contains itself once", node, member({ part: node }), []],
  [
    "all other names, twice",
    node,
    { allOf: [{ additionalProperties: node }, { ...member({ a: {} }), additionalProperties: node }] },
    ["body $ref"],
  ],
  [
    "a schema that stands in its own place",
    node,
    { allOf: [node], ...member({ part: text("^(a+)+$") }) },
    ["body/part pattern"],
  ],
  ["a schema that stands in its own place, and in a part", node, { allOf: [node], ...member({ part: node }) }, []],
  [
    "members that lead to a schema without a way back",
    { allOf: ["a", "b", "b"].map((name) => member({ [name]: member({ part: node }) })) },
    { type: "string" },
    [],
  ],
  ["a property and all names left", node, { ...member({ part: node }), unevaluatedProperties: node }, []],
  ["names and a property", node, { ...member({ part: node }), propertyNames: node }, []],
  ["the first items of one place", node, { allOf: [{ prefixItems: [node] }, { prefixItems: [node] }] }, ["body $ref"]],
  ["the first items of other places", node, { allOf: [{ prefixItems: [node] }, { prefixItems: [{}, node] }] }, []],
  [
    "items, and those left, of two members",
    node,
    { anyOf: [{ items: node }, { unevaluatedItems: node }] },
    ["body $ref"],
  ],
  ["properties and items of two members", node, { allOf: [member({ part: node }), { items: node }] }, []],
  [
    "the first items, and all, of two members",
    node,
    { allOf: [{ prefixItems: [node] }, { items: node }] },
    ["body $ref"],
  ],
  [
    "both outcomes of a condition",
    node,
    Object.fromEntries(["then", "else"].map((outcome) => [outcome, member({ part: node })])),
    ["body $ref"],
  ],
  ["a pattern that names are of", { propertyNames: text("^(a+)+$") }, undefined, ["body/propertyNames pattern"]],
  ["a pattern in a schema beside a reference", { ...node, allOf: [text("^(a+)+$")] }, {}, ["body/allOf/0 pattern"]],
  ["items and properties", node, { ...member({ part: node }), items: node }, []],
  [
    "members whose values of an enum overlap",
    node,
    {
      oneOf: [
        ["a", "b"],
        ["b", "c"],
      ].map((kinds) => member({ kind: { enum: kinds }, part: node }, ["kind"])),
    },
    ["body $ref"],
  ],
  [
    "members whose values of an enum differ",
    node,
    {
      oneOf: [
        ["a", "b"],
        ["c", "d"],
      ].map((kinds) => member({ kind: { enum: kinds }, part: node }, ["kind"])),
    },
    [],
  ],
  ["unique items that no more may follow", { type: "array", uniqueItems: true, items: false }, undefined, []],
  ["just too many unique items", list({}, { maxItems: 51 }), undefined, ["body uniqueItems"]],
  ["unique items of several scalar types", list({ type: ["string", "null"] }), undefined, []],
  ["unique items of which some are lists", list({ type: ["string", "array"] }), undefined, ["body uniqueItems"]],
  [
    "a pattern of short texts among all others",
    { unevaluatedProperties: text("[a-z]+$", { maxLength: 500 }) },
    undefined,
    ["body/unevaluatedProperties pattern"],
  ],
])("%s: %j, %j", async (_title, schema, named, expected) => {
  expect(await costsOf(documentOf(schema, named))).toEqual(expected);
});

test("keywords beside a reference are ignored in OpenAPI 3.0, and everything else is examined", async () => {
  const of = (schema: object) => costsOf({ ...documentOf(schema), openapi: "3.0.3" });
  expect(await of({ ...node, allOf: [text("^(a+)+$")] })).toEqual([]);
  expect(await of(member({ a: list({}) }))).toEqual(["body/a uniqueItems"]);
});

test.each<[part: string, schema: object]>([
  ["properties/part", { oneOf: [member({ part: node }), { additionalProperties: node }] }],
  ["items", { items: node, contains: node }],
  ["prefixItems/0", { allOf: [{ prefixItems: [node] }, { items: node }] }],
])("the part that is validated several times is named: %s", async (part, schema) => {
  const document = documentOf(node, schema);
  const [found] = await costlySchemas(document, operationsOf(document)[0]!);
  expect(found!.reason).toMatch(new RegExp(`^${part} is validated against this schema several times`));
});

test("parameters are looked at too", async () => {
  const parameters = [{ in: "query", name: "q", schema: { type: "object", properties: { tag: text("^(a+)+$") } } }];
  const get = { operationId: "x", parameters, responses: { 200: { description: "" } } };
  expect(await costsOf({ openapi: "3.1.0", paths: { "/x": { get } } })).toEqual(["query q/tag pattern"]);
});

test("each part of a request is looked at, whatever the others have shown", async () => {
  const schema = { $ref: "#/components/schemas/Node" };
  const parameters = ["a", "b"].map((name) => ({ in: "query", name, schema }));
  const get = { operationId: "x", parameters, responses: { 200: { description: "" } } };
  const components = { schemas: { Node: text("^(a+)+$") } };
  expect(await costsOf({ openapi: "3.1.0", paths: { "/x": { get } }, components })).toEqual([
    "query a pattern",
    "query b pattern",
  ]);
});

test("schemas that share others many times over are looked at once", async () => {
  const levels = Array.from({ length: 40 }, (_, at) => `L${at}`);
  const schemas = Object.fromEntries(
    levels.map((name, at) => {
      const next = levels[at + 1];
      const ref = next === undefined ? { type: "string" } : { $ref: `#/components/schemas/${next}` };
      return [name, { allOf: [ref, ref], properties: { a: ref, b: ref } }];
    }),
  );
  const document = documentOf({ $ref: "#/components/schemas/L0" });
  expect(await costsOf({ ...document, components: { schemas } })).toEqual([]);
});

test("a schema that leads to one part in very many ways is named in time", async () => {
  const levels = Array.from({ length: 40 }, (_, at) => `L${at}`);
  const schemas = Object.fromEntries(
    levels.map((name, at) => {
      const ref = { $ref: `#/components/schemas/${levels[at + 1] ?? "Node"}` };
      return [name, { allOf: [ref, ref] }];
    }),
  );
  const document = documentOf({ $ref: "#/components/schemas/L0" });
  const Node = member({ part: { $ref: "#/components/schemas/L0" } });
  expect(await costsOf({ ...document, components: { schemas: { ...schemas, Node } } })).toContain("body $ref");
});

test.each([
  [1_000, ["body pattern"]],
  [1_001, []],
])("a pattern of %d characters", async (length, expected) => {
  const start = "^(a+)+";
  expect(await costsOf(documentOf(text(start + "b".repeat(length - start.length))))).toEqual(expected);
});

test("a reference that leads nowhere is left to others", async () => {
  expect(await costsOf(documentOf(member({ a: { $ref: "#/components/schemas/None" } })))).toEqual([]);
});

test("a server names them when it starts, each once, and the remedy", async () => {
  const warned = new Promise<Error>((heard) => {
    const listen = (warning: Error & { code?: string }): void => {
      if (warning.code !== "COSTLY_SCHEMA" || !warning.message.includes("- x, body/b")) return;
      process.off("warning", listen);
      heard(warning);
    };
    process.on("warning", listen);
  });
  const document = documentOf(member({ a: list({}), b: text("^(a+)+$") }));
  implement()({ document, handlers: { x: () => ({ status: 200 }) } as never });
  const { message } = await warned;
  expect(message.split("\n")).toEqual([
    "These schemas can take more than linear time to validate a request:",
    expect.stringMatching(
      /^- x, body\/a: uniqueItems compares every item with every other\. Set maxItems to at most 50/,
    ),
    expect.stringMatching(
      /^- x, body\/b: the pattern \^\(a\+\)\+\$ backtracks\. Anchor it, and write it so that [^,]*\.$/,
    ),
  ]);
});
