import { once } from "node:events";
import { expect, test } from "vitest";
import { costlySchemas } from "../src/costly-schemas.ts";
import { operationsOf } from "../src/document.ts";
import { implement, type OpenApiDocument } from "../src/index.ts";

const node = { $ref: "#/components/schemas/Node" };
const member = (properties: object, required: string[] = []) => ({ type: "object", properties, required });

/** A document whose one operation takes a body of a schema, which other schemas may be named in. */
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
  ["few unique items", list({}, { maxItems: 200 }), undefined, []],
  ["a pattern whose tries double", text("^(a+)+$", { maxLength: 50 }), undefined, ["body pattern"]],
  ["a pattern whose tries grow with the square", text("^[a-z]+ *[a-z]+$"), undefined, ["body pattern"]],
  ["a pattern that may begin anywhere", text("[a-z]+$"), undefined, ["body pattern"]],
  ["such a pattern of short texts", text("[a-z]+$", { maxLength: 1000 }), undefined, []],
  ["a pattern of names", { patternProperties: { "^(a+)+$": {} } }, undefined, ["body pattern"]],
  ["a class that is repeated", text("^[A-Za-z0-9_-]+$"), undefined, []],
  ["groups that match in one way", text("^[a-z]+(?:-[a-z]+)*$"), undefined, []],
  ["no pattern at all", text("(a+"), undefined, []],
  [
    "members that validate the same part",
    node,
    { anyOf: [member({ part: node }, ["a"]), member({ part: node }, ["b"])] },
    ["body anyOf"],
  ],
  [
    "members that validate the same items",
    { items: node },
    { oneOf: [{ items: node }, { items: node, maxItems: 3 }] },
    ["body/items oneOf"],
  ],
  ["members that a required const tells apart", node, { oneOf: [tagged("a"), tagged("b")] }, []],
  [
    "members of a const that is not required",
    node,
    { oneOf: ["a", "b"].map((kind) => member({ kind: { const: kind }, part: node })) },
    ["body oneOf"],
  ],
  ["members that validate other parts", node, { oneOf: [member({ left: node }), member({ right: node })] }, []],
  ["a schema that contains itself once", node, member({ part: node }), []],
])("%s: %j, %j", async (_title, schema, named, expected) => {
  expect(await costsOf(documentOf(schema, named))).toEqual(expected);
});

test("parameters are looked at too", async () => {
  const parameters = [{ in: "query", name: "q", schema: { type: "object", properties: { tag: text("^(a+)+$") } } }];
  const get = { operationId: "x", parameters, responses: { 200: { description: "" } } };
  expect(await costsOf({ openapi: "3.1.0", paths: { "/x": { get } } })).toEqual(["query q/tag pattern"]);
});

test("a server names them when it starts, each once, and the remedy", async () => {
  const warned = once(process, "warning");
  const document = documentOf(member({ a: list({}), b: text("^(a+)+$") }));
  implement()({ document, handlers: { x: () => ({ status: 200 }) } as never });
  const [warning] = (await warned) as [Error & { code?: string }];
  expect(warning.code).toBe("COSTLY_SCHEMA");
  expect(warning.message.split("\n")).toEqual([
    "Some requests can take longer than their size accounts for:",
    expect.stringMatching(
      /^- x, body\/a: uniqueItems compares every item with every other\. Set maxItems to at most 200/,
    ),
    expect.stringMatching(/^- x, body\/b: the pattern \^\(a\+\)\+\$ backtracks\. Write it so that [^,]*\.$/),
  ]);
});
