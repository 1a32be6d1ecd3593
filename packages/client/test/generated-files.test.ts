import { describe, expect, test } from "vitest";
import { describedOperations } from "../described-operations.ts";
import { generatedFiles } from "../generated-files.ts";

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
      "the body, where a field has the name of a parameter",
      { ...body(closed), parameters: [query("status")] },
      { status: "query", body: "body" },
      undefined,
      true,
    ],
    [
      "the body, where it may have other fields",
      body({ ...closed, additionalProperties: true }),
      { body: "body" },
      undefined,
      true,
    ],
    ["the body, where it is optional", body(closed, false), { body: "body" }, undefined, false],
    ["the body, where it is no object", body({ type: "array" }), { body: "body" }, undefined, true],
  ])("are %s", (_name, operation, parameters, hasFields, isInputRequired) => {
    const [described] = describedOperations(documentOf({ put: { operationId: "put", responses, ...operation } }));
    expect(described).toMatchObject({ entry: { parameters, success: [200] }, isInputRequired });
    expect(described?.entry.hasFields).toBe(hasFields);
  });

  test("are also the path's own parameters", () => {
    const item = { parameters: [{ name: "id", in: "path", required: true }], get: { operationId: "read", responses } };
    expect(describedOperations(documentOf(item))).toMatchObject([
      { entry: { parameters: { id: "path" } }, isInputRequired: true },
    ]);
  });

  test.each([
    ["read has two arguments of the name id.", { parameters: [query("id"), { name: "id", in: "path" }] }],
    ["read has two arguments of the name body.", { parameters: [query("body")], ...body({ type: "array" }) }],
    ["read has the parameter session in cookie.", { parameters: [{ name: "session", in: "cookie" }] }],
    ["read takes a body that is not application/json.", { requestBody: { content: { "text/csv": {} } } }],
  ])("must be callable: %s", (message, operation) => {
    const document = documentOf({ post: { operationId: "read", responses, ...operation } });
    expect(() => describedOperations(document)).toThrow(new TypeError(message));
  });
});

test("repeatable are safe methods and those that take an Idempotency-Key, no others", () => {
  const key = { parameters: [{ name: "Idempotency-Key", in: "header" }] };
  const item = {
    get: { operationId: "get", responses },
    head: { operationId: "head", responses },
    post: { operationId: "post", responses, ...key },
    patch: { operationId: "patch", responses },
    put: { operationId: "put", responses },
    delete: { operationId: "delete", responses },
  };
  const repeatable = describedOperations(documentOf(item)).filter(({ entry }) => entry.isRepeatable);
  expect(repeatable.map(({ entry }) => entry.id)).toEqual(["get", "post", "head"]);
});

test("paged are those that take a cursor and link from their success", () => {
  const [cursor, linked] = [{ parameters: [query("cursor")] }, { responses: { 200: { headers: { Link: {} } } } }];
  const item = {
    get: { operationId: "paged", ...cursor, ...linked },
    post: { operationId: "linked", ...linked },
    put: { operationId: "from", responses, ...cursor },
  };
  const paged = describedOperations(documentOf(item)).filter(({ entry }) => entry.isPaged);
  expect(paged.map(({ entry }) => entry.id)).toEqual(["paged"]);
});

test.each(["paginate", "checkContract", "then", "GET"])("%s is refused as an operationId", async (operationId) => {
  await expect(generate(documentOf({ get: { operationId, responses } }))).rejects.toThrow(
    new TypeError(`${operationId} cannot be an operationId: the client has a member of this name.`),
  );
});

test("a description cannot end its comment", async () => {
  const { "calls.ts": calls } = await generate(
    documentOf({ get: { operationId: "read", responses, description: "a */ b" } }),
  );
  expect(calls).toContain("   * a *\\/ b\n");
});

function generate(document: object) {
  return generatedFiles({ "openapi.json": JSON.stringify(document), "schema.ts": "", "facts.ts": "" });
}

function documentOf(item: Record<string, unknown>) {
  return {
    info: { version: "1" },
    paths: { "/things": item },
    components: { schemas: {}, responses: { Done: { description: "" } } },
  };
}

function query(name: string) {
  return { name, in: "query" };
}
