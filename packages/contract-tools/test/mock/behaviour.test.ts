import { type OpenApiDocument, operationsOf } from "openapi-document";
import { describe, expect, test } from "vitest";
import { type MockInput, behaviourOf } from "../../src/mock/behaviour.ts";
import { basePathOf } from "openapi-contract/bundle";
import { withReplay } from "../../src/mock/replay.ts";
import { resourceOf } from "../../src/mock/collection.ts";

type Json = Record<string, unknown>;

const PET = {
  type: "object",
  required: ["id", "name", "kind"],
  properties: { id: { type: "integer" }, name: { type: "string" }, kind: { const: "cat" }, limit: { type: "integer" } },
};
const json = (media: Json, more: Json = {}) => ({ description: "", content: { "application/json": media }, ...more });
const LIST = json({
  schema: { type: "array", items: PET },
  example: [
    { id: 1, name: "Rex" },
    { id: 2, name: "Mia" },
  ],
});
const MEMBER = { "200": json({ schema: PET, example: { id: 1, name: "Rex" } }) };
const input = (more: Partial<MockInput> = {}): MockInput => ({
  path: {},
  query: {},
  headers: {},
  requestPath: "/pets",
  ...more,
});

function documentOf(paths: Json): OpenApiDocument {
  return { openapi: "3.1.1", paths };
}

describe("the collection of an operation", () => {
  const paths = {
    "/pets": {
      get: { operationId: "list", responses: { "200": LIST } },
      post: { operationId: "create", responses: MEMBER },
      put: { operationId: "putAll", responses: MEMBER },
    },
    "/pets/{petId}": {
      get: { operationId: "fetch", responses: MEMBER },
      put: { operationId: "replace", responses: MEMBER },
      patch: { operationId: "change", responses: MEMBER },
      delete: { operationId: "remove", responses: MEMBER },
      post: { operationId: "poke", responses: MEMBER },
    },
    "/pets/{petId}/toys": {
      get: { operationId: "listToys", responses: { "200": json({ schema: { type: "object" } }) } },
    },
    "/health": { get: { operationId: "health", responses: { "200": { description: "" } } } },
    "/names": {
      get: {
        operationId: "names",
        responses: { "200": json({ schema: { type: "array", items: { type: "string" } } }) },
      },
    },
    "/lost/{lostId}": { get: { operationId: "lost", responses: MEMBER } },
  };
  const document = documentOf(paths);
  const entries = operationsOf(document);

  test("follows from its path and its method", () => {
    const found = entries.map((entry) => {
      const { role, resource } = resourceOf(document, entries, entry) ?? {};
      return [entry.id, role && [role, resource?.list.id, resource?.idField, resource?.member.type]];
    });
    const roles = ["list", "create", "fetch", "replace", "change", "remove"];
    expect(Object.fromEntries(found)).toEqual({
      ...Object.fromEntries(roles.map((role) => [role, [role, "list", "id", "object"]])),
      ...Object.fromEntries(["putAll", "poke", "listToys", "health", "names", "lost"].map((id) => [id, undefined])),
    });
  });

  test("is identified by the path parameter's field if it has one, otherwise by `id`", () => {
    const items = { ...PET, properties: { ...PET.properties, petId: { type: "string" } } };
    const named = documentOf({
      ...paths,
      "/pets": { get: { operationId: "list", responses: { "200": json({ schema: { type: "array", items } }) } } },
    });
    const all = operationsOf(named);
    expect(resourceOf(named, all, all[0]!)?.resource.idField).toBe("petId");
  });
});

describe("a listing", () => {
  const cursor = { name: "cursor", in: "query", schema: { type: "string" } };
  const limit = { name: "limit", in: "query", schema: { type: "integer" } };
  const lists = (more: Json, parameters: Json[]) => {
    const responses = { "200": { ...LIST, ...more } };
    const document = documentOf({ "/pets": { get: { operationId: "list", parameters, responses } } });
    const entries = operationsOf(document);
    return behaviourOf(document, entries, entries[0]!, new Map());
  };
  const first = input({ query: { limit: 1, unknown: "a" } });

  test("has pages if it declares a Link header and a cursor", async () => {
    const page = await lists({ headers: { link: {} } }, [limit, cursor])(first);
    expect(page.body).toEqual([]); // `limit` is also a field of the members
    const named = lists({ headers: { link: {} } }, [cursor]);
    const answer = await named(input({ query: { name: "Rex" } }));
    expect([answer.body, answer.headers]).toEqual([[{ id: 1, name: "Rex" }], {}]);
    await expect(named(input({ query: { cursor: "zzz" } }))).rejects.toThrow(
      'Query parameter "cursor" is not a cursor returned by this mock. Start again without it.',
    );
  });

  test("has no pages if it declares only a Link header or only a cursor", async () => {
    for (const behave of [lists({}, [cursor]), lists({ headers: { link: {} } }, [])])
      expect(await behave(input({ query: { cursor: "zzz" } }))).toMatchObject({
        status: 200,
        body: [{ id: 1 }, { id: 2 }],
      });
  });
});

describe("a member", () => {
  const create = json({ schema: PET, example: { id: 1, name: "Rex" } });
  const document = documentOf({
    "/pets": {
      get: { operationId: "list", responses: { "200": LIST } },
      post: { operationId: "create", responses: { "201": create } },
    },
    "/pets/{id}": {
      get: { operationId: "fetch", responses: { ...MEMBER, "404": json({ example: { code: "gone" } }) } },
      put: { operationId: "replace", responses: MEMBER },
      patch: { operationId: "change", responses: MEMBER },
      delete: { operationId: "remove", responses: { "204": { description: "" } } },
    },
  });
  const entries = operationsOf(document);
  const behaving = () => {
    const collections = new Map();
    return (id: string, more: Partial<MockInput>) =>
      behaviourOf(
        document,
        entries,
        entries.find((entry) => entry.id === id)!,
        collections,
      )(input(more));
  };
  const at = (id: number) => ({ path: { id }, requestPath: `/pets/${id}` });

  test("gets its required fields from the example, or else from the schema", async () => {
    const call = behaving();
    const body = async (id: string, more: Partial<MockInput>) => (await call(id, more)).body;
    expect(await body("create", { body: { limit: 5 } })).toEqual({ id: 3, name: "Rex", kind: "cat", limit: 5 });
    expect(await body("replace", { ...at(2), body: { name: "Kim" } })).toEqual({ id: 2, name: "Kim", kind: "cat" });
    expect(await body("change", { ...at(2), body: { limit: 1 } })).toEqual({
      id: 2,
      name: "Kim",
      kind: "cat",
      limit: 1,
    });
    expect(await body("list", {})).toHaveLength(3);
  });

  test("gets the declared 404 if it does not exist, or else the mock's own 404", async () => {
    const call = behaving();
    expect(await call("fetch", at(9))).toMatchObject({ status: 404, body: { code: "gone" } });
    for (const id of ["replace", "change", "remove"])
      await expect(call(id, { ...at(9), body: {} })).rejects.toThrow("There is no such member.");
    expect(await call("remove", at(1))).toEqual({ status: 204, headers: {} });
    expect(await call("fetch", at(1))).toMatchObject({ status: 404 });
  });
});

describe("a repeated key", () => {
  const key = { name: "Idempotency-key", in: "header", schema: { type: "string" } };
  const replayed = (parameters: Json[], more: Json = {}) => {
    const document = documentOf({
      "/pets": { post: { operationId: "create", parameters, responses: { ...MEMBER, ...more } } },
    });
    let count = 0;
    return withReplay(document, operationsOf(document)[0]!, async () => ({
      status: 200,
      headers: { A: "a" },
      body: ++count,
    }));
  };
  const sent = (value: string | undefined, body: unknown) => input({ headers: { "Idempotency-key": value }, body });

  test("gets the first response with Idempotency-Replayed; another key or no key gets a new response", async () => {
    const behave = replayed([key]);
    expect(await behave(sent("a", { b: 1 }))).toEqual({ status: 200, headers: { A: "a" }, body: 1 });
    expect(await behave(sent("a", { b: 1 }))).toEqual({
      status: 200,
      headers: { A: "a", "Idempotency-Replayed": "true" },
      body: 1,
    });
    const others = [sent("b", { b: 1 }), sent(undefined, {}), sent(undefined, {})].map(behave);
    expect((await Promise.all(others)).map(({ body }) => body)).toEqual([2, 3, 4]);
  });

  test("with another body gets 422 if it is declared, otherwise the first response", async () => {
    const declared = replayed([key], { "422": { description: "" } });
    await declared(sent("a", 1));
    expect(await declared(sent("a", 2))).toEqual({ status: 422, headers: {} });
    const undeclared = replayed([key]);
    await undeclared(sent("a", 1));
    expect(await undeclared(sent("a", 2))).toEqual({ status: 200, headers: { A: "a" }, body: 1 });
  });

  test("of a failed request gets a new response", async () => {
    const document = documentOf({ "/pets": { post: { operationId: "create", parameters: [key], responses: MEMBER } } });
    const outcomes = [Promise.reject(new Error("406")), Promise.resolve({ status: 200 })];
    const behave = withReplay(document, operationsOf(document)[0]!, () => outcomes.shift()!);
    await expect(behave(sent("a", 1))).rejects.toThrow("406");
    expect(await behave(sent("a", 1))).toEqual({ status: 200 });
  });

  test("is compared with the body as sent, even if the handler changes it", async () => {
    const document = documentOf({ "/pets": { post: { operationId: "create", parameters: [key], responses: MEMBER } } });
    const behave = withReplay(document, operationsOf(document)[0]!, async ({ body }) => {
      (body as { b: number }).b = 2;
      return { status: 200 };
    });
    await behave(sent("a", { b: 1 }));
    expect(await behave(sent("a", { b: 1 }))).toMatchObject({ headers: { "Idempotency-Replayed": "true" } });
  });

  test.each([
    [[]],
    [[{ ...key, in: "query" }]],
    [[{ ...key, name: "X-Idempotency-Key" }]],
    [[{ ...key, name: "Idempotency-Keys" }]],
  ])("is ignored if the header is not declared: %o", async (parameters) => {
    const behave = replayed(parameters);
    const responses = await Promise.all([sent("a", 1), sent("a", 1)].map(behave));
    expect(responses.map(({ body }) => body)).toEqual([1, 2]);
  });
});

test.each([
  [undefined, ""],
  [[], ""],
  [[{ url: "/" }], ""],
  [[{ url: "/v1/" }], "/v1"],
  [[{ url: "https://a.example/v2" }, { url: "/v1" }], "/v2"],
  [[{ url: "/caf%c3%a9/%76+1" }], "/caf%C3%A9/v+1"],
])("the base path of %o is %s", (servers, path) => {
  expect(basePathOf({ ...documentOf({}), ...(servers && { servers }) })).toBe(path);
});

// As in contracts of Amazon Web Services.
describe("without examples", () => {
  const pets = { type: "array", minItems: 1, items: PET };
  const receipt = { type: "object", required: ["receipt"], properties: { receipt: { type: "string" } } };
  const document = documentOf({
    "/pets": {
      get: { operationId: "list", responses: { "200": json({ schema: { type: "object", properties: { pets } } }) } },
      post: { operationId: "create", responses: { "200": json({ schema: receipt }) } },
    },
    "/names": {
      get: { operationId: "listNames", responses: { "200": LIST } },
      post: { operationId: "createAll", responses: { "200": LIST } },
    },
  });
  const entries = operationsOf(document);
  const behave = async (id: string, more?: Partial<MockInput>) => {
    const entry = entries.find((each) => each.id === id)!;
    return (await behaviourOf(document, entries, entry, new Map())(input(more))).body;
  };

  test("a list has as many members as it needs", async () => {
    expect(await behave("list")).toEqual({ pets: [{ id: 1, name: "x", kind: "cat", limit: 1 }] });
  });

  test("a creation without a body responds with the fields that its response requires", async () => {
    expect(await behave("create")).toMatchObject({ receipt: "x" });
  });

  test("a creation of several members at once responds with its example", async () => {
    const created = await behave("createAll", { requestPath: "/names", body: [{ name: "Rex" }] });
    expect(created).toEqual(await behave("listNames"));
  });
});

test("a response has the fields that it declares, and the list keeps the others", async () => {
  const closed = { ...PET, additionalProperties: false };
  const document = documentOf({
    "/pets": {
      get: { operationId: "list", responses: { "200": LIST } },
      post: { operationId: "create", responses: { "2XX": json({ schema: closed }) } },
    },
  });
  const [list, create] = operationsOf(document);
  const collections = new Map();
  const behave = (entry = list!) => behaviourOf(document, [list!, create!], entry, collections);
  const body = { name: "Tom", kind: "cat", secret: true };
  expect((await behave(create)(input({ body }))).body).toEqual({ id: 3, name: "Tom", kind: "cat" });
  expect((await behave()(input())).body).toContainEqual({ ...body, id: 3 });
});
