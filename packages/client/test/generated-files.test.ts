import { describe, expect, test } from "vitest";
import { describedOperations } from "../src/generate/described-operations.ts";
import { generatedFiles } from "../src/generate/generated-files.ts";

const body = (schema: object, required = true) => ({
  requestBody: { required, content: { "application/json": { schema } } },
});
const closed = {
  type: "object",
  additionalProperties: false,
  required: ["name"],
  properties: { name: {}, status: {} },
};
const responses = { 200: { $ref: "#/components/responses/Done" } };

describe("an operation's arguments", () => {
  test.each([
    ["the fields of a closed object", body(closed), {}, true, true],
    ["the fields of a closed object that requires none", body({ ...closed, required: [] }), {}, true, false],
    [
      "the body, if a field has the name of a parameter",
      { ...body(closed), parameters: [query("status")] },
      { status: "query", body: "body" },
      undefined,
      true,
    ],
    [
      "the body, if it allows other fields",
      body({ ...closed, additionalProperties: true }),
      { body: "body" },
      undefined,
      true,
    ],
    ["the body, if it is optional", body(closed, false), { body: "body" }, undefined, false],
    ["the body, if it is not an object", body({ type: "array" }), { body: "body" }, undefined, true],
  ])("are %s", (_name, operation, parameters, hasFields, isInputRequired) => {
    const [described] = describedOperations(documentOf({ put: { operationId: "put", responses, ...operation } }));
    expect(described).toMatchObject({ entry: { parameters, success: [200] }, isInputRequired });
    expect(described?.entry.hasFields).toBe(hasFields);
  });

  test("include the path's own parameters", () => {
    const item = { parameters: [{ name: "id", in: "path", required: true }], get: { operationId: "read", responses } };
    expect(describedOperations(documentOf(item))).toMatchObject([
      { entry: { parameters: { id: "path" } }, isInputRequired: true },
    ]);
  });

  test.each([
    [
      "read has two arguments named id. Rename one of them in the contract.",
      { parameters: [query("id"), { name: "id", in: "path" }] },
    ],
    [
      "read has two arguments named body. Rename one of them in the contract.",
      { parameters: [query("body")], ...body({ type: "array" }) },
    ],
    [
      "read has the parameter session in cookie. The client sends path, query and header parameters only.",
      { parameters: [{ name: "session", in: "cookie" }] },
    ],
    [
      "read has a request body without application/json. The client sends JSON only.",
      { requestBody: { content: { "text/csv": {} } } },
    ],
  ])("an operation that the client cannot call throws: %s", (message, operation) => {
    const document = documentOf({ post: { operationId: "read", responses, ...operation } });
    expect(() => describedOperations(document)).toThrow(new TypeError(message));
  });
});

test("only safe methods and operations with an Idempotency-Key are retryable", () => {
  const key = { parameters: [{ name: "Idempotency-Key", in: "header" }] };
  const item = {
    get: { operationId: "get", responses },
    head: { operationId: "head", responses },
    post: { operationId: "post", responses, ...key },
    patch: { operationId: "patch", responses },
    put: { operationId: "put", responses },
    delete: { operationId: "delete", responses },
  };
  const retryable = describedOperations(documentOf(item)).filter(({ entry }) => entry.isRetryable);
  expect(retryable.map(({ entry }) => entry.id)).toEqual(["get", "post", "head"]);
});

test("only operations with a cursor and a Link header on success have pages", () => {
  const [cursor, linked] = [{ parameters: [query("cursor")] }, { responses: { 200: { headers: { Link: {} } } } }];
  const item = {
    get: { operationId: "paged", ...cursor, ...linked },
    post: { operationId: "linked", ...linked },
    put: { operationId: "from", responses, ...cursor },
  };
  const paged = describedOperations(documentOf(item)).filter(({ entry }) => entry.isPaged);
  expect(paged.map(({ entry }) => entry.id)).toEqual(["paged"]);
});

test.each(["paginate", "checkContract", "then", "GET"])("%s cannot be an operationId", async (operationId) => {
  await expect(generate(documentOf({ get: { operationId, responses } }))).rejects.toThrow(
    new TypeError(
      `${operationId} cannot be an operationId, because the client has a member of this name. Rename the operation.`,
    ),
  );
});

test("a description cannot end its comment", async () => {
  const { "calls.ts": calls } = await generate(
    documentOf({ get: { operationId: "read", responses, description: "a */ b" } }),
  );
  expect(calls).toContain("   * a *\\/ b\n");
});

function generate(document: object) {
  return generatedFiles({ "openapi.json": JSON.stringify(document), "schema.ts": "", "metadata.ts": "" }, "");
}

function documentOf(item: Record<string, unknown>) {
  return {
    openapi: "3.1.1",
    info: { version: "1" },
    paths: { "/things": item },
    components: { schemas: {}, responses: { Done: { description: "" } } },
  };
}

function query(name: string) {
  return { name, in: "query" };
}

describe("the generated files of a small contract", () => {
  const parameters = [{ name: "cursor", in: "query" }];
  const links = { 200: { headers: { Link: {} } }, 304: {}, default: {} };
  const document = {
    info: { version: "1" },
    paths: {
      "/things": {
        get: { operationId: "list", summary: "Lists.", description: "All\nof them.\n", parameters, responses: links },
        post: { operationId: "add", ...body(closed), responses: { 201: {} } },
      },
      "/things/{id}": {
        parameters: [{ name: "id", in: "path", required: true }],
        get: {
          operationId: "read",
          deprecated: true,
          "x-deprecated-at": "2026-01-01",
          "x-sunset": "2030-12-05",
          "x-successor": "list",
          responses,
        },
        put: { operationId: "write", deprecated: true, ...body({ type: "array" }, false), responses },
      },
    },
    components: { schemas: { Thing: {}, Other: {} }, responses: { Done: { description: "" } } },
  };

  test("operations.ts", async () => {
    expect((await generate(document))["operations.ts"]).toBe(
      [
        "// Generated from the contract by `pnpm generate`. Do not edit.",
        'import type { Operation } from "../operation.ts";',
        "",
        "/**",
        " * Lists.",
        " *",
        " * All",
        " * of them.",
        " */",
        'export const list: Operation<"list"> = {',
        '  "id": "list",',
        '  "method": "GET",',
        '  "path": "/things",',
        '  "parameters": {',
        '    "cursor": "query"',
        "  },",
        '  "success": [',
        "    200",
        "  ],",
        '  "isRetryable": true,',
        '  "isPaged": true',
        "};",
        "",
        'export const add: Operation<"add"> = {',
        '  "id": "add",',
        '  "method": "POST",',
        '  "path": "/things",',
        '  "parameters": {},',
        '  "hasFields": true,',
        '  "success": [',
        "    201",
        "  ]",
        "};",
        "",
        "/**",
        " * @deprecated Will be removed on 2030-12-05. Use `list`.",
        " */",
        'export const read: Operation<"read"> = {',
        '  "id": "read",',
        '  "method": "GET",',
        '  "path": "/things/{id}",',
        '  "parameters": {',
        '    "id": "path"',
        "  },",
        '  "success": [',
        "    200",
        "  ],",
        '  "isRetryable": true,',
        '  "deprecated": {',
        '    "since": "2026-01-01",',
        '    "sunset": "2030-12-05",',
        '    "successor": "list"',
        "  }",
        "};",
        "",
        "/**",
        " * @deprecated",
        " */",
        'export const write: Operation<"write"> = {',
        '  "id": "write",',
        '  "method": "PUT",',
        '  "path": "/things/{id}",',
        '  "parameters": {',
        '    "id": "path",',
        '    "body": "body"',
        "  },",
        '  "success": [',
        "    200",
        "  ],",
        '  "deprecated": {}',
        "};",
        "",
        "/** Every operation of the contract. */",
        "export const operations = [list, add, read, write];",
        "",
      ].join("\n"),
    );
  });

  test("calls.ts", async () => {
    expect((await generate(document))["calls.ts"]).toBe(
      [
        "// Generated from the contract by `pnpm generate`. Do not edit.",
        'import type { Body, Fields, Init, Parameters } from "../input.ts";',
        'import type { CallOptions } from "../options.ts";',
        'import type { Call, Items } from "../result.ts";',
        "",
        "/** The input of `list`: its parameters and body. */",
        'export type ListInput = Fields<Parameters<"list">>;',
        "",
        "/** The input of `add`: its parameters and body. */",
        'export type AddInput = Fields<Parameters<"add"> & Body<"add">>;',
        "",
        "/** The input of `read`: its parameters and body. */",
        'export type ReadInput = Fields<Parameters<"read">>;',
        "",
        "/** The input of `write`: its parameters and body. */",
        'export type WriteInput = Fields<Parameters<"write"> & { body: Body<"write"> }>;',
        "",
        "/** A method for each operation. */",
        "export interface ByOperation {",
        "  /**",
        "   * Lists.",
        "   *",
        "   * All",
        "   * of them.",
        "   */",
        '  list: (input?: ListInput, options?: CallOptions) => Call<"list">;',
        '  add: (input: AddInput, options?: CallOptions) => Call<"add">;',
        "  /**",
        "   * @deprecated Will be removed on 2030-12-05. Use `list`.",
        "   */",
        '  read: (input: ReadInput, options?: CallOptions) => Call<"read">;',
        "  /**",
        "   * @deprecated",
        "   */",
        '  write: (input: WriteInput, options?: CallOptions) => Call<"write">;',
        "}",
        "",
        "/** The operations with pages. */",
        "export interface ByPage {",
        "  /**",
        "   * Lists.",
        "   *",
        "   * All",
        "   * of them.",
        "   */",
        '  list: (input?: ListInput, options?: CallOptions) => Items<"list">;',
        "}",
        "",
        "/** A method for each HTTP method, called with a path template of the contract. */",
        "export interface ByPath {",
        "  GET: {",
        "    /**",
        "     * Lists.",
        "     *",
        "     * All",
        "     * of them.",
        "     */",
        '    (path: "/things", init?: Init<"list"> & CallOptions): Call<"list">;',
        "    /**",
        "     * @deprecated Will be removed on 2030-12-05. Use `list`.",
        "     */",
        '    (path: "/things/{id}", init: Init<"read"> & CallOptions): Call<"read">;',
        "  };",
        "  POST: {",
        '    (path: "/things", init: Init<"add"> & CallOptions): Call<"add">;',
        "  };",
        "  PUT: {",
        "    /**",
        "     * @deprecated",
        "     */",
        '    (path: "/things/{id}", init: Init<"write"> & CallOptions): Call<"write">;',
        "  };",
        "}",
        "",
      ].join("\n"),
    );
  });

  test("queries.ts and names.ts", async () => {
    const { "queries.ts": queries, "names.ts": names } = await generate(document);
    expect(names).toBe(
      [
        "// Generated from the contract by `pnpm generate`. Do not edit.",
        'import type { components } from "./schema.ts";',
        "",
        'export type Thing = components["schemas"]["Thing"];',
        'export type Other = components["schemas"]["Other"];',
        "",
      ].join("\n"),
    );
    expect(queries).toBe(
      [
        "// Generated from the contract by `pnpm generate`. Do not edit.",
        'import type { InfiniteQuery, Mutation, Query } from "../react-query/options.ts";',
        'import type { ListInput, AddInput, ReadInput, WriteInput } from "./calls.ts";',
        "",
        "/** Returns query options for each operation. */",
        "export interface Queries {",
        "  /**",
        "   * Lists.",
        "   *",
        "   * All",
        "   * of them.",
        "   */",
        '  list: (input?: ListInput) => Query<"list">;',
        "  /**",
        "   * @deprecated Will be removed on 2030-12-05. Use `list`.",
        "   */",
        '  read: (input: ReadInput) => Query<"read">;',
        "}",
        "",
        "/** Returns infinite query options for each operation. */",
        "export interface InfiniteQueries {",
        "  /**",
        "   * Lists.",
        "   *",
        "   * All",
        "   * of them.",
        "   */",
        '  list: (input?: Omit<ListInput, "cursor">) => InfiniteQuery<"list">;',
        "}",
        "",
        "/** Returns mutation options for each operation. */",
        "export interface Mutations {",
        '  add: () => Mutation<"add", AddInput>;',
        "  /**",
        "   * @deprecated",
        "   */",
        '  write: () => Mutation<"write", WriteInput>;',
        "}",
        "",
      ].join("\n"),
    );
  });

  test("queries.ts of a contract without reads has no unused import", async () => {
    const { "queries.ts": queries } = await generate(documentOf({ post: { operationId: "add", responses } }));
    expect(queries).toContain('import type { Mutation } from "../react-query/options.ts";\n');
    const { "queries.ts": reads } = await generate(documentOf({ get: { operationId: "read", responses } }));
    expect(reads).toContain('import type { Query } from "../react-query/options.ts";\n');
  });
});
