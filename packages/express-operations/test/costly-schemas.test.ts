import { expect, test } from "vitest";
import { costlySchemas, findCostlySchemas } from "../src/costs/costly-schemas.ts";
import { operationsOf } from "openapi-document";
import type { OpenApiDocument } from "../src/index.ts";

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
  ["a pattern with exponential backtracking", text("^(a+)+$", { maxLength: 50 }), undefined, ["body pattern"]],
  ["a pattern with quadratic backtracking", text("^[a-z]+ *[a-z]+$"), undefined, ["body pattern"]],
  ["a pattern with two repetitions", text("^[a-z]+[a-z]+$"), undefined, ["body pattern"]],
  ["a pattern without an anchor at its start", text("[a-z]+$"), undefined, ["body pattern"]],
  ["a pattern without an anchor for short texts", text("[a-z]+$", { maxLength: 500 }), undefined, []],
  [
    "a pattern without an anchor for many short texts",
    list(text("[a-z]+$", { maxLength: 500 })),
    undefined,
    ["body/items pattern"],
  ],
  [
    "a pattern with cubic backtracking",
    text("^[a-z]*[a-z0-9]*[a-z-]*$", { maxLength: 500 }),
    undefined,
    ["body pattern"],
  ],
  ["a pattern without anchors and with a star", text("foo.*bar"), undefined, ["body pattern"]],
  ["a pattern without anchors and with a plus", text("foo.+bar"), undefined, ["body pattern"]],
  ["a pattern with an escaped start", text("\\$\\{[^}]*\\}"), undefined, ["body pattern"]],
  ["a pattern with many lazy repetitions", text(`^${"a+?b+?".repeat(11)}$`), undefined, []],
  ["a pattern with bounds that leave few choices", text(`^${"[a-z]{20,25}".repeat(4)}$`), undefined, []],
  ["a pattern with many bounds that differ by nine", text(`^${"[a-z]{1,10}".repeat(6)}$`), undefined, []],
  ["a pattern with many bounds that differ by ten", text(`^${"[a-z]{1,11}".repeat(6)}$`), undefined, ["body pattern"]],
  ["a pattern with Unicode properties", text("^\\p{Ll}+\\p{Ll}+$"), undefined, ["body pattern"]],
  ["a pattern with a back-reference", text("^(.*)\\1$"), undefined, ["body pattern"]],
  ["a pattern with a back-reference and without repetition", text("^(a|b)\\1$"), undefined, []],
  ["a pattern with large bounds", text("^[a-z]{1,1000}[a-z]{1,1000}[a-z]{1,1000}$"), undefined, ["body pattern"]],
  ["a pattern with nested bounds", text("^(?:[a-z]{1,20}){1,20}$"), undefined, ["body pattern"]],
  ["a pattern with many optional characters", text(`^${"a?".repeat(26)}b$`), undefined, ["body pattern"]],
  ...[
    "^(a|a)*$",
    "^(a|aa)+$",
    "^(?:a?){30}a{30}$",
    "^(?:(?:ab)?){40}(?:ab){40}$",
    "^(\\w|\\d)+$",
    "^([a-m]|[h-z0-9])*$",
    "^(?:\\p{L}|\\p{Lu})*$",
    "^(a|b|ab)*c",
    "^(?=(a|a)*$)a",
    "^(a|a)*\\1$",
    `^(?:${"x".repeat(1_000)}|(a|a)*)$`,
    "^(?:[0-9]{3000}|(a|a)*)$",
    "^(?:xyz|xyz)*$",
    "^x*y*(?:ab|ab)*$",
    "^(?:[A-Z]{3}|[A-Z]{4})*$",
    `^(?:${"0123456789abcdefghijklmnopqrstuvwxyz".split("").join("|")}|z)*$`,
  ].map((pattern): [string, object, undefined, string[]] => [
    `the ambiguous pattern ${pattern.slice(0, 40)}`,
    text(pattern, { maxLength: 50 }),
    undefined,
    ["body pattern"],
  ]),
  ["an ambiguous pattern that matches each text at once", text("^(a|a)*", { maxLength: 500 }), undefined, []],
  [
    "an ambiguous pattern for field names",
    { propertyNames: { pattern: "^(a|a)*$" } },
    undefined,
    ["body/propertyNames pattern"],
  ],
  ["a pattern beside a reference", { $ref: node.$ref, ...text("^(a+)+$") }, { type: "string" }, ["body pattern"]],
  ["a slug", text("^[a-z0-9]+(?:-[a-z0-9]+)*$"), undefined, []],
  ["a date", text("^\\d{4}-\\d{2}-\\d{2}$"), undefined, []],
  ["a version", text("^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$"), undefined, []],
  ["a domain", text("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"), undefined, []],
  ["a prefix", text("^x-"), undefined, []],
  ["a prefix and more", text("x-[a-z]+"), undefined, []],
  ["escaped repetition characters", text("\\+\\*\\d"), undefined, []],
  ["repetition characters in a class", text("[*+]-"), undefined, []],
  ["repetition characters in a class, after a bracket", text("[\\]*+]-"), undefined, []],
  ["a repeated class with a bracket, in the middle", text("a[\\]b]*c"), undefined, ["body pattern"]],
  ["a pattern for field names", { patternProperties: { "^(a+)+$": {} } }, undefined, ["body pattern"]],
  ["a repeated class", text("^[A-Za-z0-9_-]+$"), undefined, []],
  ["groups that match in one way", text("^[a-z]+(?:-[a-z]+)*$"), undefined, []],
  ["an invalid pattern", text("(a+"), undefined, []],
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
  ["members with different required consts", node, { oneOf: [tagged("a"), tagged("b")] }, []],
  ["members with the same required const", node, { oneOf: [tagged("a"), tagged("a")] }, ["body $ref"]],
  [
    "members with different optional consts",
    node,
    { oneOf: ["a", "b"].map((kind) => member({ kind: { const: kind }, part: node })) },
    ["body $ref"],
  ],
  [
    "a property that additionalProperties overlaps",
    node,
    { oneOf: [member({ part: node }), { additionalProperties: node }] },
    ["body $ref"],
  ],
  [
    "a property that patternProperties overlap",
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
    "a required const before another keyword",
    node,
    {
      anyOf: ["a", "b"].map((kind) => ({
        ...member({ kind: { const: kind } }, ["kind"]),
        allOf: [member({ part: node })],
      })),
    },
    ["body $ref"],
  ],
  ["a property and additionalProperties", node, { ...member({ part: node }), additionalProperties: node }, []],
  ["prefixItems and items", node, { prefixItems: [node], items: node }, []],
  ["items and contains", node, { items: node, contains: node }, ["body $ref"]],
  ["prefixItems and contains", node, { contains: node, prefixItems: [node] }, ["body $ref"]],
  ["members that validate other parts", node, { oneOf: [member({ left: node }), member({ right: node })] }, []],
  ["a schema that contains itself once", node, member({ part: node }), []],
  [
    "additionalProperties of two members",
    node,
    { allOf: [{ additionalProperties: node }, { ...member({ a: {} }), additionalProperties: node }] },
    ["body $ref"],
  ],
  [
    "a schema that contains itself in allOf",
    node,
    { allOf: [node], ...member({ part: text("^(a+)+$") }) },
    ["body/part pattern"],
  ],
  ["a schema that contains itself in allOf and in a part", node, { allOf: [node], ...member({ part: node }) }, []],
  [
    "members that lead to a schema without a way back",
    { allOf: ["a", "b", "b"].map((name) => member({ [name]: member({ part: node }) })) },
    { type: "string" },
    [],
  ],
  ["a property and unevaluatedProperties", node, { ...member({ part: node }), unevaluatedProperties: node }, []],
  ["propertyNames and a property", node, { ...member({ part: node }), propertyNames: node }, []],
  ["prefixItems at the same index", node, { allOf: [{ prefixItems: [node] }, { prefixItems: [node] }] }, ["body $ref"]],
  ["prefixItems at different indexes", node, { allOf: [{ prefixItems: [node] }, { prefixItems: [{}, node] }] }, []],
  [
    "items and unevaluatedItems of two members",
    node,
    { anyOf: [{ items: node }, { unevaluatedItems: node }] },
    ["body $ref"],
  ],
  ["properties and items of two members", node, { allOf: [member({ part: node }), { items: node }] }, []],
  ["prefixItems and items of two members", node, { allOf: [{ prefixItems: [node] }, { items: node }] }, ["body $ref"]],
  [
    "both outcomes of a condition",
    node,
    Object.fromEntries(["then", "else"].map((outcome) => [outcome, member({ part: node })])),
    ["body $ref"],
  ],
  ["a pattern of propertyNames", { propertyNames: text("^(a+)+$") }, undefined, ["body/propertyNames pattern"]],
  ["a pattern in a schema beside a reference", { ...node, allOf: [text("^(a+)+$")] }, {}, ["body/allOf/0 pattern"]],
  ["items and properties", node, { ...member({ part: node }), items: node }, []],
  [
    "members with overlapping enums",
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
    "members with different enums",
    node,
    {
      oneOf: [
        ["a", "b"],
        ["c", "d"],
      ].map((kinds) => member({ kind: { enum: kinds }, part: node }, ["kind"])),
    },
    [],
  ],
  ["unique items without further items", { type: "array", uniqueItems: true, items: false }, undefined, []],
  ["one unique item too many", list({}, { maxItems: 51 }), undefined, ["body uniqueItems"]],
  ["unique items of several scalar types", list({ type: ["string", "null"] }), undefined, []],
  ["unique items that may be lists", list({ type: ["string", "array"] }), undefined, ["body uniqueItems"]],
  [
    "a pattern for short texts in unevaluatedProperties",
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
])("the reason names the part that is validated several times: %s", async (part, schema) => {
  const document = documentOf(node, schema);
  const [found] = await costlySchemas(document, operationsOf(document)[0]!);
  expect(found!.reason).toMatch(new RegExp(`^${part} is validated against this schema several times`));
});

test("parameters are also examined", async () => {
  const parameters = [{ in: "query", name: "q", schema: { type: "object", properties: { tag: text("^(a+)+$") } } }];
  const get = { operationId: "x", parameters, responses: { 200: { description: "" } } };
  expect(await costsOf({ openapi: "3.1.0", paths: { "/x": { get } } })).toEqual(["query q/tag pattern"]);
});

test("each part of a request is examined, even if another part has the same schema", async () => {
  const schema = { $ref: "#/components/schemas/Node" };
  const parameters = ["a", "b"].map((name) => ({ in: "query", name, schema }));
  const get = { operationId: "x", parameters, responses: { 200: { description: "" } } };
  const components = { schemas: { Node: text("^(a+)+$") } };
  expect(await costsOf({ openapi: "3.1.0", paths: { "/x": { get } }, components })).toEqual([
    "query a pattern",
    "query b pattern",
  ]);
});

test("schemas that share other schemas many times are examined once", async () => {
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

test("a schema with very many paths to one part is found in time", async () => {
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

test.each([1_000, 1_001])("a pattern of %d characters is examined", async (length) => {
  const start = "^(a+)+";
  expect(await costsOf(documentOf(text(start + "b".repeat(length - start.length))))).toEqual(["body pattern"]);
});

test("a reference to a missing schema is ignored", async () => {
  expect(await costsOf(documentOf(member({ a: { $ref: "#/components/schemas/None" } })))).toEqual([]);
});

test("each costly schema of a document is found once, with the remedy", async () => {
  const document = documentOf(node, member({ a: list({}), b: text("^(a+)+$") }));
  const { "/x": path } = document.paths as Record<string, object>;
  const found = await findCostlySchemas({ ...document, paths: { "/x": path!, "/y": structuredClone(path!) } });
  expect(found.map(({ operationId, of, at, reason }) => `${operationId}, ${of}${at}: ${reason}`)).toEqual([
    expect.stringMatching(/^x, body\/a: uniqueItems compares every item with every other\. Set maxItems to at most 50/),
    expect.stringMatching(
      /^x, body\/b: the pattern \^\(a\+\)\+\$ backtracks\. Anchor it, and write it so that [^,]*\.$/,
    ),
  ]);
});
