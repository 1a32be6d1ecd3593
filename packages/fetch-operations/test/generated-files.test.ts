import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorCodes } from "../src/generate/api-module.ts";
import { Code, codeOf } from "../src/generate/code.ts";
import { type Config, loadConfig } from "../src/generate/config.ts";
import { loadContract } from "../src/generate/contract-source.ts";
import { clientOperations, type OperationSettings } from "../src/generate/operations.ts";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { findMismatches } from "../src/generate/main.ts";

const body = (schema: object, required = true) => ({
  requestBody: { required, content: { "application/json": { schema } } },
});
const closed = {
  type: "object",
  additionalProperties: false,
  required: ["name"],
  properties: { name: { type: "string" }, status: { type: "string" } },
};
const responses = { 200: { $ref: "#/components/responses/Done" } };
const list = { type: "array", items: { type: "string" } };
const query = (name: string, schema: object = { type: "string" }) => ({ name, in: "query", schema });
const jsonOf = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
const inBody = { type: "object", properties: { data: list, next: { type: "string" } } };
const byCursor = {
  "x-pagination": { by: "cursor", cursor: "after", next: "/next", items: "/data" },
  parameters: [query("after")],
  responses: { 200: jsonOf(inBody) },
};

function documentOf(item: Record<string, unknown>, path = "/things") {
  return {
    openapi: "3.1.1",
    info: { title: "Things", version: "1" },
    paths: { [path]: item },
    components: { schemas: {}, responses: { Done: { description: "" } } },
  };
}

function describedOf(item: Record<string, unknown>, config?: OperationSettings, path?: string) {
  return clientOperations(documentOf(item, path), config);
}

function generate(document: object, config: Partial<Config> = {}) {
  const contract = { document: document as never, placeOf: (keys: string[]) => `things.yaml:${keys.length}` };
  return generatedFiles(contract, { contract: "", output: "", name: "Things", ...config });
}

describe("the fields of a body are arguments", () => {
  test.each([
    ["if the object is closed", body(closed), true, true],
    ["if the closed object requires none", body({ ...closed, required: [] }), true, false],
    ["not if a field has the name of a parameter", { ...body(closed), parameters: [query("status")] }, false, true],
    ["not if it allows other fields", body({ ...closed, additionalProperties: true }), false, true],
    ["not if it is optional", body(closed, false), false, false],
    ["not if it is not an object", body({ type: "array" }), false, true],
    ["not if it is composed", body({ ...closed, allOf: [{}] }), false, true],
  ])("%s", (_name, operation, hasFields, isInputRequired) => {
    const [described] = describedOf({ put: { operationId: "put", responses, ...operation } });
    expect(described).toMatchObject({ body: { hasFields }, isInputRequired });
  });
});

describe("the name of", () => {
  test.each([
    ["start-job", "startJob"],
    ["delete", "delete_"],
    ["v1/list things", "v1ListThings"],
    ["1st", "_1st"],
    ["GetPet", "GetPet"],
    ["pets.list", "petsList"],
    [undefined, "getThings"],
    ["GET", "GET"],
    ["constructor", "constructor"],
  ])("the operation %s is %s", (operationId, name) => {
    expect(describedOf({ get: { operationId, responses } }, { operations: {} })[0]?.name).toBe(name);
  });

  test("parameters in two locations begins with the location", () => {
    const parameters = [query("id"), { name: "id", in: "path", required: true, schema: { type: "string" } }];
    const [described] = describedOf({ get: { operationId: "read", parameters, responses } }, {}, "/things/{id}");
    expect(described?.arguments.map(({ name }) => name)).toEqual(["query.id", "path.id"]);
  });

  test("a parameter that begins with a location differs from the name of another one", () => {
    const parameters = [query("path.id"), query("id"), { ...query("id"), in: "path", required: true }];
    const [described] = describedOf({ get: { operationId: "read", parameters, responses } }, {}, "/things/{id}");
    expect(described?.arguments.map(({ name }) => name)).toEqual(["query.path.id", "query.id", "path.id"]);
    const field = { ...closed, properties: { "path.id": {} } };
    const own = { operationId: "put", parameters: parameters.slice(1), responses, ...body({ ...field, required: [] }) };
    expect(describedOf({ put: own }, {}, "/things/{id}")[0]).toMatchObject({ body: { hasFields: false } });
  });

  test.each<[operationIds: [string, string, string], names: string[], types: string[], settings?: OperationSettings]>([
    [
      ["get-pet", "getPet", "get.pet"],
      ["getPet2", "getPet", "getPet3"],
      ["GetPet2", "GetPet", "GetPet3"],
    ],
    [
      ["getPet", "GetPet", "GetPet2"],
      ["getPet", "GetPet", "GetPet2"],
      ["GetPet", "GetPet3", "GetPet2"],
    ],
    [
      ["delete", "Delete", "delete_"],
      ["delete_2", "Delete", "delete_"],
      ["Delete_2", "Delete", "Delete2"],
    ],
    [["a-b", "aB", "c"], ["aB3", "aB2", "aB"], ["AB3", "AB2", "AB"], { operations: { c: { name: "aB" } } }],
  ])("the operations %j is %j", (operationIds, names, types, settings) => {
    const [get, put, post] = operationIds.map((operationId) => ({ operationId, responses }));
    const described = describedOf({ get, put, post }, settings);
    expect(described.map(({ name }) => name)).toEqual(names);
    expect(described.map(({ typeName }) => typeName)).toEqual(types);
  });

  test("two operations is refused if they have one operationId, or one name in the configuration", () => {
    const item = { get: { operationId: "a", responses }, put: { operationId: "b", responses } };
    const operations = { a: { name: "c" }, b: { name: "c" } };
    expect(() => describedOf(item, { operations })).toThrow(
      "b has the name c in the configuration, like a. Set another.",
    );
    expect(() => describedOf({ ...item, put: item.get })).toThrow(
      "a has the operationId of another operation. Give it one of its own.",
    );
  });
});

test("each named schema is an exported type, whatever its name, and the types have distinct names", async () => {
  const names: [schema: string, type: string][] = [
    ["Pet", "Pet"],
    ["my-pet", "myPet"],
    ["1st", "_1st"],
    ["Foo.Bar", "FooBarSchema"],
    ["Foo-Bar", "FooBarSchema2"],
    ["FooBar", "FooBar"],
    ["class", "class_"],
    ["string", "string_"],
    ["as", "as_"],
    ["Café 2", "Café2"],
    ["日本", "日本"],
    ["-", "Schema"],
    ["Things", "ThingsSchema"],
    ["ListResult", "ListResultSchema"],
    ["Result", "ResultSchema2"],
    ["ResultSchema", "ResultSchema"],
    ...(
      "ErrorCode PageItems ByOperation ByPage Raw OperationId Results Data Call Items Page ThingsError ThingsOptions " +
      "ListInput WebhookPayloads components operations paths servers"
    )
      .split(" ")
      .map((name): [string, string] => [name, `${name}Schema`]),
    ["createThings", "createThingsSchema"],
    ['a"\\\u0000\u2028*/b', "aB"],
  ];
  const document = documentOf({ get: { operationId: "list", responses } });
  const schemas = Object.fromEntries(names.map(([name]) => [name, { type: "string" }]));
  const { "names.ts": text } = await generate({ ...document, components: { ...document.components, schemas } });
  const found = text!.matchAll(/^export type (\S+) = components\["schemas"\]\[(".*")\];$/gm);
  expect(Array.from(found, ([, type, name]) => [JSON.parse(name!), type])).toEqual(names);
});

test("only safe methods and operations with an Idempotency-Key are retryable, unless the contract or the configuration says so", () => {
  const key = { parameters: [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }] };
  const item = {
    get: { operationId: "get", responses, "x-retryable": false },
    head: { operationId: "head", responses },
    post: { operationId: "post", responses, ...key },
    patch: { operationId: "patch", responses, "x-retryable": true },
    put: { operationId: "put", responses },
    delete: { operationId: "erase", responses },
  };
  const described = describedOf(item, { operations: { put: { retry: true } } });
  expect(described.filter(({ isRetryable }) => isRetryable).map(({ id }) => id)).toEqual([
    "put",
    "post",
    "head",
    "patch",
  ]);
  expect(described.filter(({ idempotencyKey }) => idempotencyKey).map(({ id }) => id)).toEqual(["post"]);
});

describe("pages", () => {
  const linked = { responses: { 200: { headers: { link: {} }, ...jsonOf(list) } } };

  test.each<[title: string, operation: object, config: OperationSettings, pages: object | undefined]>([
    ["by link, for a list with the header", linked, {}, { by: "link", items: "" }],
    [
      "by link, with its cursor",
      { ...linked, parameters: [query("cursor")] },
      {},
      { by: "link", items: "", cursor: "cursor" },
    ],
    [
      "by link, without the cursor of a header",
      { ...linked, parameters: [{ ...query("cursor"), in: "header" }] },
      {},
      { by: "link", items: "" },
    ],
    [
      "by link, for a list of the second success",
      { responses: { 200: {}, 206: { headers: { Link: {} }, ...jsonOf(list) } } },
      {},
      { by: "link", items: "" },
    ],
    ["not by link, without the header", { responses: { 200: jsonOf(list) } }, {}, undefined],
    [
      "not by link, with the header of an error",
      { responses: { 200: jsonOf(list), 400: { headers: { Link: {} } } } },
      {},
      undefined,
    ],
    [
      "by the rule whose list and parameters exist",
      { responses: { 200: jsonOf(inBody) }, parameters: [query("from"), query("page"), query("limit")] },
      {
        pagination: [
          { by: "link" },
          { by: "offset", offset: "from", limit: "size", items: "/data" },
          { by: "offset", offset: "from", items: "/next" },
          { by: "offset", offset: "from", limit: "limit", items: "/data" },
          { by: "page", page: "page", items: "/data" },
        ],
      },
      { by: "offset", offset: "from", limit: "limit", items: "/data" },
    ],
    [
      "by the settings of the operation, before its extension and the rules",
      { "x-pagination": { by: "lost" }, responses: { 200: jsonOf(inBody) }, parameters: [query("page")] },
      {
        pagination: [{ by: "link", items: "/data" }],
        operations: { list: { pagination: { by: "page", page: "page", items: "/data", first: 0 } } },
      },
      { by: "page", page: "page", items: "/data", first: 0 },
    ],
    ["not by link, for no list", { responses: { 200: { headers: { Link: {} }, ...jsonOf({}) } } }, {}, undefined],
    ["not if the configuration says so", linked, { operations: { list: { pagination: false } } }, undefined],
    [
      "by the extension",
      {
        "x-pagination": { by: "offset", offset: "from" },
        responses: { 200: jsonOf(list) },
        parameters: [query("from")],
      },
      {},
      { by: "offset", items: "", offset: "from" },
    ],
    [
      "by the first rule that fits",
      { responses: { 200: jsonOf(inBody) }, parameters: [query("after")] },
      {
        pagination: [
          { by: "page", page: "page", items: "/data" },
          { by: "cursor", cursor: "after", next: "/next", items: "/data" },
        ],
      },
      { by: "cursor", items: "/data", cursor: "after", next: "/next" },
    ],
  ])("%s", (_title, operation, config, pages) => {
    expect(describedOf({ get: { operationId: "list", ...operation } }, config)[0]?.pages).toEqual(pages);
  });
});

test.each<[title: string, schema: object]>([
  ["in a part of the response", { allOf: [{ type: "object" }, inBody] }],
  ["in an alternative", { ...inBody, properties: { data: list }, oneOf: [inBody, { type: "object" }] }],
  ["in an open object", { ...inBody, properties: { data: list }, additionalProperties: true }],
  ["of any type", { ...inBody, properties: { data: list, next: {} } }],
])("a next cursor %s is accepted", (_title, schema) => {
  const [described] = describedOf({ get: { operationId: "list", ...byCursor, responses: { 200: jsonOf(schema) } } });
  expect(described?.pages).toEqual(byCursor["x-pagination"]);
});

test("pages are requested by the argument, which has the location in its name if another one shares the name", () => {
  const parameters = [query("after"), { ...query("after"), in: "header" }];
  const item = {
    get: { operationId: "list", ...byCursor, parameters },
    post: {
      operationId: "search",
      "x-pagination": { by: "link", cursor: "after" },
      parameters,
      responses: { 200: jsonOf(list) },
    },
  };
  expect(describedOf(item).map(({ pages }) => pages)).toEqual([
    { ...byCursor["x-pagination"], cursor: "query.after" },
    { by: "link", items: "" },
  ]);
});

test("only a GET operation has pages by the header Link alone", () => {
  const json = { "application/json": { schema: list } };
  const operation = { operationId: "list", responses: { 200: { headers: { Link: {} }, content: json } } };
  const pagesOf = (item: object, config?: OperationSettings) => describedOf(item as never, config)[0]!.pages;
  expect(pagesOf({ get: operation })).toEqual({ by: "link", items: "" });
  expect(pagesOf({ post: operation })).toBeUndefined();
  expect(pagesOf({ post: { ...operation, "x-pagination": { by: "link" } } })).toEqual({ by: "link", items: "" });
  expect(pagesOf({ head: operation })).toBeUndefined();
});

describe("an operation that the client cannot call is refused by name and line:", () => {
  test.each<[message: string, operation: object, path?: string, method?: string]>([
    [
      'has pages by the query parameter "from", which it does not declare. Declare it, or correct "offset" of the pagination.',
      { "x-pagination": { by: "offset", offset: "from" } },
    ],
    [
      'has pages by the query parameter "from", which it does not declare. Declare it, or correct "cursor" of the pagination.',
      { "x-pagination": { by: "link", cursor: "from" }, responses: { 200: jsonOf(list) } },
    ],
    [
      'has pages of items at "/data", where its response has no list. Correct "items" of the pagination.',
      { "x-pagination": { by: "link", items: "/data" } },
    ],
    [
      'has pages of items at "data", where its response has no list. Correct "items" of the pagination.',
      { "x-pagination": { by: "link", items: "data" }, responses: { 200: jsonOf(list) } },
    ],
    ...["/lost", "next", "/data", "/next/lost"].map((next): [string, object] => [
      `has the next cursor at "${next}", where its response has no string or number. Correct "next" of the pagination.`,
      { ...byCursor, "x-pagination": { ...byCursor["x-pagination"], next } },
    ]),
    [
      'has pages by cursor without the settings "next" and "last". Give one of them.',
      { ...byCursor, "x-pagination": { by: "cursor", cursor: "after" } },
    ],
    [
      'has the next cursor at "/id" of the last item, where items have no string or number. Correct "last" of the pagination.',
      { ...byCursor, "x-pagination": { ...byCursor["x-pagination"], next: undefined, last: "/id" } },
    ],
    ['has pages by "lost". Write one of link, cursor, offset, page.', { "x-pagination": { by: "lost" } }],
    ["has {id} in its path, but no path parameter of this name.", {}, "/things/{id}"],
    ["has {id} in its path, but no path parameter of this name.", { parameters: [query("id")] }, "/things/{id}"],
    [
      "has {id} in its path, but no path parameter of this name.",
      { parameters: [{ ...query("key"), in: "path", required: true }] },
      "/things/{id}",
    ],
    ["has a request body, which `fetch` does not send with GET. Use another method.", body({})],
    ...["evil.test/things", ":80@evil.test/things", "things"].map((path): [string, object, string] => [
      "has a path that does not begin with a slash.",
      {},
      path,
    ]),
    ["has the method TRACE, which `fetch` does not send.", {}, "/things", "trace"],
    ['has the parameter "q" in "body", which the client does not write.', { parameters: [{ name: "q", in: "body" }] }],
    [
      'has the parameter "q" in "querystring", which the client does not write.',
      { parameters: [{ name: "q", in: "querystring" }] },
    ],
    [
      'has the parameter "q" in query with the style matrix, which OpenAPI does not define there.',
      { parameters: [{ ...query("q"), style: "matrix" }] },
    ],
    [
      'has the parameter "q" of application/xop. The client writes JSON and text in parameters.',
      { parameters: [{ name: "q", in: "query", content: { "application/xop": {} } }] },
    ],
    [
      "has a request body of text/event-stream, which the client does not send.",
      { requestBody: { content: { "text/event-stream": {} } } },
      "/things",
      "post",
    ],
    ['requires the security scheme "key", which the contract does not declare.', { security: [{ key: [] }] }],
  ])("%s", async (message, operation, path = "/things", method = "get") => {
    const document = documentOf({ [method]: { operationId: "read", responses, ...operation } }, path);
    await expect(generate(document)).rejects.toMatchObject({
      name: "Refusal",
      message: `things.yaml:3: read ${message}`,
    });
    await expect(generate(document, { operations: { read: false } })).resolves.toBeDefined();
  });

  test.each([
    ...["", "a b", "a\nb", "a\r\nX: y", "a:b", "G\u00C4T", '"a"'].map((method) => [
      method,
      `has the method ${JSON.stringify(method)}, which is not a token (RFC 9110, section 9.1). Correct its name.`,
    ]),
    ...["CONNECT", "Trace", "TRACK"].map((method) => [
      method,
      `has the method ${method}, which \`fetch\` does not send.`,
    ]),
    ...["POST", "get", "PATCH", "QUERY"].map((method) => [
      method,
      `has the method ${method} in additionalOperations. Move it to the field ${method.toLowerCase()}.`,
    ]),
  ])("the additional method %j", async (method, problem) => {
    const additionalOperations = { [method]: { operationId: "read", responses } };
    const refused = generate({ ...documentOf({ additionalOperations }), openapi: "3.2.0" });
    await expect(refused).rejects.toMatchObject({ name: "Refusal", message: `things.yaml:4: read ${problem}` });
  });

  test("not a body of GET in OpenAPI 3.0, which ignores it", async () => {
    const get = { operationId: "read", responses, ...body({ type: "object" }) };
    const { "calls.ts": calls } = await generate({ ...documentOf({ get }), openapi: "3.0.3" });
    expect(calls).toContain("export type ReadInput = Record<string, never>;");
  });

  test("a security scheme that the client does not send", async () => {
    const securitySchemes = { d: { type: "http", scheme: "digest" }, key: { type: "http", scheme: "bearer" } };
    const digest = (security: object[]) => ({
      ...documentOf({ get: { operationId: "read", responses, security } }),
      components: { securitySchemes, responses: { Done: { description: "" } } },
    });
    await expect(generate(digest([{ d: [] }, { d: [], key: [] }]))).rejects.toThrow(
      'things.yaml:3: read requires the security scheme "d" of the type http and the scheme digest, which the client does not send.',
    );
    const { "api.ts": api } = await generate(digest([{ d: [] }, { key: [] }]));
    expect(api).toContain('"key": bearer()');
    expect(api).not.toContain('"d"');
  });
});

test.each(["paginate", "raw", "checkContract", "then", "GET", "Operation", "CallOptions"])(
  "%s cannot be the name of an operation",
  async (operationId) => {
    await expect(generate(documentOf({ get: { operationId, responses } }))).rejects.toThrow(
      `${operationId} cannot have the name ${operationId}, because the client uses this name.`,
    );
  },
);

test("code within data is printed as it stands, and texts are not code", () => {
  const data = { a: new Code('f("x")'), b: undefined, c: ["\u00000\u0000", new Code("g")], d: {}, toString: ["h"] };
  expect(codeOf({ ...data, ["__proto__"]: null })).toBe(String.raw`{
  "a": f("x"),
  "c": ["\u00000\u0000", g],
  "d": {},
  "toString": ["h" as const],
  ["__proto__"]: null
}`);
});

test("a path that is called as the module of the schemas does not import it", async () => {
  const files = await generate(documentOf({ get: { operationId: "list", responses } }, "/shapes"));
  expect(Object.keys(files)).not.toContain("shapes.ts");
  expect(files["operations.ts"]).not.toContain("shapes.js");
});

test("a type is not imported for a word of a comment, of a text or of a field", async () => {
  const summary = "Multipart PagedOperation";
  const operation = { operationId: "find", summary, parameters: [query("Multipart"), query("DataOf")], responses };
  const { "calls.ts": calls, "operations.ts": operations } = await generate(documentOf({ get: operation }));
  expect(operations).toContain('import { type CallOptions, type Operation } from "fetch-operations";');
  expect(calls).toContain("Multipart?:");
  expect(calls).not.toMatch(/^import .*\bMultipart\b/m);
});

test("control characters and line separators are visible in the generated files", async () => {
  const description = "a\u0000b\u2028c";
  const operation = { operationId: "read", responses, description, parameters: [query("\u2029\u001b")] };
  const files = Object.values(await generate(documentOf({ get: operation }), { features: ["testing"] })).join("");
  expect(files).toContain(String.raw`   * a\u0000b\u2028c`);
  expect(files).not.toMatch(/[\u2028\u2029]|(?!\n)\p{Cc}/u);
});

test("a description cannot end its comment", async () => {
  const description = "a */ b";
  const { "calls.ts": calls } = await generate(documentOf({ get: { operationId: "read", responses, description } }));
  expect(calls).toContain("   * a *\\/ b\n");
});

test("an operation is a constant of its own, with the code that it needs", async () => {
  const parameters = [
    { ...query("ids", list), explode: false },
    { name: "id", in: "path", required: true, schema: { type: "string" } },
  ];
  const operation = {
    operationId: "read-file",
    summary: "Reads.",
    deprecated: true,
    "x-sunset": "2030-12-05",
    parameters,
    responses: { 200: { content: { "image/png": {} } }, 202: {}, default: { content: { "application/json": {} } } },
  };
  const { "operations.ts": text } = await generate(documentOf({ get: operation }, "/files/{id}"));
  expect(text).toBe(`// Generated from the contract by fetch-operations. Do not edit.
import { type CallOptions, type Operation, readBlob, styled } from "fetch-operations";
import type { ReadFileInput, ReadFileResult } from "./calls.js";

/**
 * Reads.
 *
 * @deprecated Will be removed on 2030-12-05.
 */
export const readFile: Operation<[input: ReadFileInput, options?: CallOptions], ReadFileResult> = {
  "id": "read-file",
  "method": "GET",
  "path": "/files/{id}",
  "parameters": { "ids": { "in": "query", "write": styled("form", false) }, "id": "path" },
  "success": [200, 202],
  "empty": [202],
  "read": readBlob,
  "isRetryable": true,
  "deprecated": { "sunset": "2030-12-05" }
};

/** Every operation of the contract, by name. */
export const operations = { readFile };
`);
});

describe("the codes of a contract's errors", () => {
  const Problem = { required: ["kind", "text"], properties: { kind: { enum: ["z", "b"] } } };
  const example = (kind: unknown, more: object = { text: "" }) => ({ kind, ...more });
  const content = {
    example: example("a"),
    examples: {
      one: { value: example("c"), summary: example("no") },
      two: { value: { errors: [{ example: example("d") }] } },
      three: { value: example("incomplete", {}) },
      four: { value: example(5) },
      five: { value: null },
    },
    schema: { value: example("no"), properties: { example: null } },
  };
  const codesOf = (schema: object, error: Config["error"]) =>
    errorCodes(
      {
        openapi: "3.1.1",
        paths: { "/a": { get: { responses: { 400: { content: { json: content } } } } } },
        components: {
          schemas: { Problem: schema, Alias: { $ref: "#/components/schemas/Problem" } },
          responses: { A: { example: example("r") } },
        },
      },
      { contract: "", output: "", name: "A", ...(error && { error }) },
    );

  test.each<[title: string, schema: object, error: Config["error"], codes: string[]]>([
    [
      "those of its schema and of examples",
      Problem,
      { schema: "Problem", code: "kind" },
      ["a", "b", "c", "d", "r", "z"],
    ],
    ["behind a reference too", Problem, { schema: "Alias", code: "kind" }, ["a", "b", "c", "d", "r", "z"]],
    [
      "those of examples, without an enum",
      { properties: { kind: {} } },
      { schema: "Problem", code: "kind" },
      ["a", "c", "d", "incomplete", "r"],
    ],
    ["none with another name of the field", {}, { schema: "Problem" }, []],
    ["none without the setting", Problem, undefined, []],
  ])("are %s", (_title, schema, error, codes) => {
    expect(codesOf(schema, error)).toEqual(codes);
  });
});

/**
 * A contract with most features, whose client is kept for comparison. After a change of the generator, generate it again in the
 * package's folder, and read the difference:
 *
 *     node bin/fetch-operations.js generate --config test/library/fetch-operations.config.json
 */
test("the client of the library is as it was generated", async () => {
  const config = (await loadConfig(join(import.meta.dirname, "library/fetch-operations.config.json")))[0]!;
  const files = await generatedFiles(await loadContract(config.contract), config);
  for (const [name, text] of Object.entries(files))
    expect(text, name).toBe(await readFile(join(config.output, name), "utf8").catch(() => "no such file"));
  expect(await findMismatches(files, config.output)).toEqual({ stale: [], surplus: [] });
});
