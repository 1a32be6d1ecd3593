import { describe, expect, test } from "vitest";
import { withRequestDefaultsRequired } from "../src/openapi-typescript/request-defaults.ts";

const anyJson = { 200: { description: "", content: { "application/json": { schema: {} } } } };
const sized = (more = {}) => ({
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" }, size: { type: "integer", default: 1 }, ...more },
});
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ "application/json": { schema } });

/** Each schema is used differently: by a request, a response, both, another schema, an alternative, or two of these. */
const DOCUMENT = {
  openapi: "3.1.1",
  info: { title: "Kennel", version: "1.0.0" },
  paths: {
    "/dogs": {
      parameters: [{ name: "page", in: "query", schema: { type: "integer", default: 1 } }],
      post: {
        operationId: "addDog",
        parameters: [
          { $ref: "#/components/parameters/Limit" },
          { name: "sort", in: "query", schema: { type: "string" } },
        ],
        requestBody: { content: json(ref("Asked")) },
        responses: { ...anyJson, 201: { description: "", content: json(ref("Answered")) } },
      },
      put: {
        operationId: "setDog",
        requestBody: { $ref: "#/components/requestBodies/Shared" },
        responses: {
          200: { description: "", headers: { Age: { schema: { default: 1 } } }, content: json(ref("Shared")) },
        },
      },
    },
  },
  components: {
    parameters: { Limit: { name: "limit", in: "query", schema: { type: "integer", default: 20 } } },
    requestBodies: { Shared: { content: json(ref("Shared")) } },
    schemas: {
      Asked: sized({
        example: ref("Nested"),
        pups: { type: "array", items: sized() },
        home: { oneOf: [ref("Kennel"), { type: "null" }] },
        birth: { oneOf: [ref("Place"), { type: "null" }] },
        place: ref("Place"),
        merged: { allOf: [sized()] },
        made: { type: "string", default: "now", readOnly: true },
      }),
      Answered: sized(),
      Shared: sized(),
      Nested: { type: "object", properties: { parent: ref("Nested"), tail: { type: "string", default: "long" } } },
      Kennel: sized(),
      Place: sized(),
    },
  },
};

const REQUIRED = { required: ["name", "size"] };

describe("withRequestDefaultsRequired", () => {
  const { paths, components } = withRequestDefaultsRequired(DOCUMENT);
  const { Asked, ...schemas } = components.schemas;
  const { pups, home, merged } = Asked.properties as Record<string, object>;

  test("requires a parameter with a default, in a path item, an operation or the components", () => {
    expect(paths["/dogs"].parameters).toMatchObject([{ required: true }]);
    expect(components.parameters.Limit).toMatchObject({ required: true });
    expect(paths["/dogs"].post.parameters[1]).not.toHaveProperty("required");
  });

  test("requires the fields with a default in a request body, even in nested and recursive schemas", () => {
    expect(Asked).toMatchObject(REQUIRED);
    expect(pups).toMatchObject({ items: REQUIRED });
    expect(merged).toMatchObject({ allOf: [REQUIRED] });
    expect(schemas.Nested).toMatchObject({ required: ["tail"] });
  });

  test("requires fields with a default in a schema that requests and responses share, because it has one type", () => {
    expect(schemas.Shared).toMatchObject(REQUIRED);
  });

  test("does not change alternatives and responses", () => {
    expect(home).toEqual(DOCUMENT.components.schemas.Asked.properties["home" as never]);
    expect([schemas.Kennel, schemas.Answered]).toEqual([sized(), sized()]);
    expect(schemas.Place, "an alternative in one place, and certain in another").toEqual(sized());
    expect(paths["/dogs"].put.responses).toEqual(DOCUMENT.paths["/dogs"].put.responses);
  });

  test("does not change the original document", () => {
    expect(DOCUMENT.components.schemas.Asked.required).toEqual(["name"]);
  });
});

test.each(["not", "if", "then", "else", "contains", "oneOf", "anyOf"])(
  "a schema that %s also references keeps its fields with defaults optional",
  (keyword) => {
    const named = keyword.endsWith("Of") ? [ref("Shared")] : ref("Shared");
    const schema = { type: "object", properties: { sure: ref("Shared"), unsure: { [keyword]: named } } };
    const put = { operationId: "x", requestBody: { content: json(schema) }, responses: {} };
    const components = { schemas: { Shared: sized() } };
    const of = (paths: object) => withRequestDefaultsRequired({ openapi: "3.1.0", paths, components }).components;
    expect(of({ "/x": { put } }).schemas.Shared.required).toEqual(["name"]);
    delete (schema.properties as Partial<typeof schema.properties>).unsure;
    expect(of({ "/x": { put } }).schemas.Shared.required).toEqual(["name", "size"]);
  },
);

test("fields with a default in an object parameter are required", () => {
  const filter = (): Record<string, unknown> => ({
    type: "object",
    properties: { size: { type: "integer", default: 1 }, color: {} },
  });
  const schema = { type: "object", properties: { filter: filter() }, allOf: [filter()] };
  const get = {
    operationId: "x",
    parameters: [{ name: "f", in: "query", style: "deepObject", schema }],
    responses: {},
  };
  const { paths } = withRequestDefaultsRequired({ openapi: "3.1.0", paths: { "/x": { get } } });
  const [parameter] = paths["/x"].get.parameters as { required?: boolean; schema: typeof schema }[];
  expect(parameter!.required).toBeUndefined();
  expect(parameter!.schema.properties.filter["required"]).toEqual(["size"]);
  expect(parameter!.schema.allOf[0]!["required"]).toEqual(["size"]);
});

test("referenced headers are inlined in shared responses and in responses of operations", () => {
  const headers = { Age: { $ref: "#/components/headers/Age" } };
  const { paths, components } = withRequestDefaultsRequired({
    openapi: "3.1.0",
    paths: {
      "/x": { get: { responses: { 200: { headers: { ...headers } }, 404: { $ref: "#/components/responses/Gone" } } } },
    },
    components: {
      headers: { Age: { schema: { type: "integer" } } },
      responses: { Gone: { headers }, Unused: { headers: { ...headers } }, None: {} },
    },
  });
  const inlined = { headers: { Age: { schema: { type: "integer" } } } };
  expect(paths["/x"].get.responses[200]).toEqual(inlined);
  expect(components.responses).toEqual({ Gone: inlined, Unused: inlined, None: {} });
});

test("operations get the ids of their handlers, and operations of webhooks get none", () => {
  const item = (operationId?: string) => ({ post: { ...(operationId && { operationId }), responses: {} } });
  const shared = { pathItems: { Born: item("born") } };
  const { paths, webhooks } = withRequestDefaultsRequired({
    openapi: "3.1.0",
    paths: { "/dogs/{id}": item(), "/cats": item("addCat") },
    webhooks: { sold: item("sold"), born: { $ref: "#/components/pathItems/Born" } },
    components: shared,
  });
  expect(paths["/dogs/{id}"].post).toHaveProperty("operationId", "POST /dogs/{id}");
  expect(paths["/cats"].post).toHaveProperty("operationId", "addCat");
  expect(webhooks.sold.post).not.toHaveProperty("operationId");
});

test("callbacks become webhooks with the names of their senders, and referenced webhooks are written out", () => {
  const born = { post: { operationId: "born", responses: {} } };
  const paid = { post: { operationId: "paid", parameters: [{ name: "a", in: "query" }], responses: {} } };
  const document = {
    openapi: "3.1.0",
    paths: {
      "/x": { get: { operationId: "getX", responses: {}, callbacks: { one: { $url: paid, "x-a": {} } } } },
      "/y": { get: { responses: {}, callbacks: { all: { $ref: "#/components/callbacks/Both" } } } },
    },
    webhooks: { born: { $ref: "#/components/pathItems/Born" } },
    components: { callbacks: { Both: { $url: born, "$request.body": paid } }, pathItems: { Born: born } },
  };
  const { webhooks } = withRequestDefaultsRequired(document);
  const item = (parameters: object[]) => ({ post: { parameters, responses: {} } });
  expect(webhooks).toEqual({
    born: item([]),
    "callback getX#one": item(paid.post.parameters),
    "callback GET /y#all $url": item([]),
    "callback GET /y#all $request.body": item(paid.post.parameters),
  });
});

test("OpenAPI 3.2 is described in the terms of 3.1", () => {
  const $self = "https://a.example/openapi";
  const responses = {
    200: { description: "", content: { "application/json": { $ref: `${$self}#/components/mediaTypes/A` } } },
  };
  const all = { name: "all", in: "querystring", content: { "application/json": { schema: { type: "array" } } } };
  const document = {
    openapi: "3.2.0",
    $self,
    paths: {
      "/x/{id}": {
        parameters: [{ name: "id", in: "path" }],
        get: { operationId: "getX", parameters: [all], responses },
        query: { operationId: "findX", responses },
        additionalOperations: { COPY: { responses: {} } },
      },
    },
    components: { mediaTypes: { A: { schema: { type: "string" } } } },
  };
  const copy = withRequestDefaultsRequired(document);
  const credentials = expect.objectContaining({ name: "Authorization", in: "header" }) as object;
  const written = { 200: { description: "", content: { "application/json": { schema: { type: "string" } } } } };
  const own = { name: "id", in: "path" };
  const parameters = [own, credentials];
  expect(copy.openapi).toBe("3.1.2");
  expect(copy.paths).toEqual({
    "/x/{id}": {
      parameters: [own],
      get: {
        operationId: "getX",
        parameters: [{ name: "all", in: "query", schema: { type: "array" } }, credentials],
        responses: written,
      },
    },
    "/QUERY /x/{id}": { post: { operationId: "findX", parameters, responses: written } },
    "/COPY /x/{id}": { post: { operationId: "COPY /x/{id}", parameters, responses: {} } },
  });
  expect(document.paths["/x/{id}"].get.parameters[0]!.in).toBe("querystring");
});

describe("the schema of a stream in the copy is that of one item", () => {
  const token = { type: "object", properties: { text: { type: "string" } } };
  const data = { type: "string", contentMediaType: "application/json", contentSchema: token };
  const decoded = { type: "object", properties: { data: token, id: { type: "string" } } };

  test.each<[string, string, string, object, object]>([
    ["its `itemSchema`", "3.2.0", "application/jsonl", { itemSchema: token }, token],
    ["its `schema` in OpenAPI 3.1", "3.1.1", "application/jsonl", { schema: token }, token],
    [
      "the items of its `schema` in OpenAPI 3.2",
      "3.2.0",
      "application/json-seq",
      { schema: { type: "array", items: token } },
      token,
    ],
    [
      "an event with its data as decoded from JSON",
      "3.2.0",
      "text/event-stream",
      { itemSchema: { type: "object", properties: { data, id: { type: "string" } } } },
      decoded,
    ],
    [
      "an event through a reference, which keeps the component",
      "3.1.1",
      "text/event-stream",
      { schema: ref("Event") },
      { ...decoded, properties: { data: token } },
    ],
    [
      "the data of an event, by a schema of other fields",
      "3.1.1",
      "text/event-stream",
      { schema: ref("Token") },
      ref("Token"),
    ],
    ["unchanged for other media types", "3.2.0", "text/plain", { itemSchema: token }, { itemSchema: token }],
  ])("%s", (_title, openapi, type, declared, expected) => {
    const content = { [type]: declared };
    const Event = { type: "object", properties: { data } };
    const paths = { "/x": { get: { operationId: "x", responses: { 200: { description: "", content } } } } };
    const document = {
      openapi,
      info: { title: "", version: "" },
      paths,
      components: { schemas: { Event, Token: token } },
    };
    const copy = withRequestDefaultsRequired(document);
    const { schema, ...others } = copy.paths["/x"].get.responses[200].content[type] as { schema?: object };
    expect(schema ?? others).toEqual(expected);
    expect(copy.components.schemas.Event).toEqual(Event);
  });
});

test("paths that share a path item have operations of their own", () => {
  const copy = withRequestDefaultsRequired({
    openapi: "3.1.1",
    info: { title: "", version: "" },
    paths: { "/new": { get: { responses: anyJson } }, "/old": { $ref: "#/paths/~1new" } },
  }) as { paths: Record<string, { get?: { operationId?: string } }> };
  expect(Object.values(copy.paths).map(({ get }) => get?.operationId)).toEqual(["GET /new", "GET /old"]);
});

test.each<[name: string, root: object[] | undefined, own: object[] | undefined, credentials: object[] | undefined]>([
  ["none", undefined, undefined, undefined],
  ["those of the document", [{ key: [] }], undefined, [{ key: {} }]],
  ["none, against the document", [{ key: [] }], [], undefined],
  ["its own", [{ key: [] }], [{ user: ["a"], token: [] }, { key: [] }], [{ user: {}, token: {} }, { key: {} }]],
  ["optional ones", undefined, [{}, { key: [] }], [{}, { key: {} }]],
])("the credentials of an operation in the copy: %s", (_name, root, own, credentials) => {
  const ignored = { name: "authorization", in: "header", schema: { type: "string" } };
  const get = { operationId: "x", parameters: [ignored], responses: {}, ...(own && { security: own }) };
  const paths = { "/x": { parameters: [{ $ref: "#/components/parameters/Ignored" }], get } };
  const document = { openapi: "3.1.0", ...(root && { security: root }), paths };
  const copy = withRequestDefaultsRequired({ ...document, components: { parameters: { Ignored: ignored } } });
  expect(copy.paths["/x"].parameters).toEqual([]);
  type Declared = { name: string; schema: { anyOf?: { properties: object }[] } };
  const [{ name, schema }, ...others] = copy.paths["/x"].get.parameters as unknown as [Declared];
  expect([name, others]).toEqual(["Authorization", []]);
  expect(schema.anyOf?.map(({ properties }) => properties)).toEqual(credentials);
});
