import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { type Handlers, implement, type OpenApiDocument, type Violation } from "../src/index.ts";
import { document, type operations } from "./fixtures/bookshop.ts";
import { listen } from "./listen.ts";

type Answers = { [Id in keyof operations]?: object };

/** Serves the bookshop with handlers that return the given responses, even if their types are wrong. */
async function serve(
  answers: Answers,
  options: {
    onViolation?: (violation: Violation) => void;
    checkResponses?: "off" | "always" | { sample: number };
  } = {},
) {
  const answering = (id: keyof operations) => () => answers[id] ?? { status: 204 };
  const handlers = {
    getBook: answering("getBook"),
    addBook: answering("addBook"),
    searchBooks: answering("searchBooks"),
  };
  return listen(
    implement<operations>()({ document, handlers: handlers as unknown as Handlers<operations>, ...options }),
  );
}

const book = { status: 200, headers: { ETag: '"1"' }, body: { id: 1, title: "Emma" } };

describe("checkResponses", () => {
  test.each<[string, object, Partial<Violation>]>([
    [
      "a body of the wrong type",
      { ...book, body: { id: "1", title: "Emma" } },
      { pointer: "/body/id", valueType: "string", message: "must be integer" },
    ],
    [
      "null",
      { ...book, body: { id: null, title: "Emma" } },
      { pointer: "/body/id", valueType: "null", message: "must be integer" },
    ],
    ["a missing field", { ...book, body: { id: 1 } }, { pointer: "/body/title", valueType: "undefined" }],
    ["a missing header", { ...book, headers: {} }, { pointer: "/headers/ETag" }],
    ["a missing header if no headers are returned", { ...book, headers: undefined }, { pointer: "/headers/ETag" }],
    [
      "a header of the wrong type",
      { ...book, headers: { ETag: 1 } },
      { pointer: "/headers/ETag", valueType: "number" },
    ],
    [
      "an undeclared header",
      { ...book, headers: { ETag: '"1"', "X-Room": "1" } },
      { pointer: "/headers/X-Room", message: "is not declared", valueType: "string" },
    ],
    ["the body of a declared range", { status: 503, body: { retry: "soon" } }, { status: 503, pointer: "/body/retry" }],
    [
      "a list instead of an object",
      { ...book, body: [] },
      { pointer: "/body", valueType: "array", message: "must be object" },
    ],
    ["a missing body", { status: 404 }, { status: 404, pointer: "/body" }],
  ])("reports %s, and sends the same response as without the check", async (_title, answer, expected) => {
    const violations: Violation[] = [];
    await using server = await serve(
      { getBook: answer },
      { checkResponses: "always", onViolation: (violation) => violations.push(violation) },
    );
    await using unchecked = await serve({ getBook: answer });
    const [checked, plain] = await Promise.all([
      fetch(`${server.baseUrl}/books/1`),
      fetch(`${unchecked.baseUrl}/books/1`),
    ]);
    expect(violations).toEqual([expect.objectContaining({ operationId: "getBook", ...expected })]);
    expect([checked.status, await checked.text()]).toEqual([plain.status, await plain.text()]);
  });

  test("reports no violation for a response that matches the document", async () => {
    const violations: Violation[] = [];
    const options = {
      checkResponses: "always" as const,
      onViolation: (violation: Violation) => violations.push(violation),
    };
    await using server = await serve(
      { getBook: book, searchBooks: { status: 200, contentType: "text/csv", body: "id" } },
      options,
    );
    expect((await fetch(`${server.baseUrl}/books/1`)).status).toBe(200);
    expect((await fetch(`${server.baseUrl}/books/search`, { method: "POST" })).status).toBe(200);
    expect(
      (await fetch(`${server.baseUrl}/books`, { method: "POST", headers: { "Content-Type": "text/plain" }, body: "x" }))
        .status,
    ).toBe(204);
    expect(violations).toEqual([]);
  });

  test.each<[string, object, unknown, Partial<Violation>[]]>([
    ["a date as its string", { type: "string", format: "date-time" }, new Date(0), []],
    ["a date as no object", { type: "object" }, new Date(0), [{ pointer: "/body/it", valueType: "string" }]],
    ["an invalid date as null", { type: "string" }, new Date(NaN), [{ pointer: "/body/it", valueType: "null" }]],
    ["a number without JSON as null", { type: "number" }, NaN, [{ pointer: "/body/it", valueType: "null" }]],
    ["a Map as an object without its entries", { type: "object", maxProperties: 0 }, new Map([["a", 1]]), []],
    ["the result of `toJSON`", { type: "integer" }, { toJSON: (key: string) => key.length }, []],
    ["a gap in a list as null", { type: "array", items: { type: "null" } }, [undefined], []],
    ["undefined as a missing field", { type: "string" }, undefined, [{ pointer: "/body/it", valueType: "undefined" }]],
  ])("checks %s", async (_title, it, value, expected) => {
    const schema = { type: "object", required: ["it"], properties: { it } };
    const responses = { 200: { description: "", content: { "application/json": { schema } } } };
    const violations: Violation[] = [];
    const implementation = implement()({
      document: { openapi: "3.1.0", paths: { "/x": { get: { operationId: "x", responses } } } },
      handlers: { x: () => ({ status: 200, body: { it: value } }) } as never,
      checkResponses: "always",
      onViolation: (violation) => violations.push(violation),
    });
    await using server = await listen(implementation);
    expect(await (await fetch(`${server.baseUrl}/x`)).text()).toBe(JSON.stringify({ it: value }));
    expect(violations).toEqual(expected.map((each) => expect.objectContaining(each) as Violation));
  });

  test.each<[string, object]>([
    ["in a sibling of allOf", { allOf: [{ $ref: "#/components/schemas/Login" }, { required: ["name", "pw"] }] }],
    ["by reference", { required: ["name", "pw"], properties: { pw: { $ref: "#/components/schemas/Password" } } }],
  ])("expects no writeOnly field that is required %s", async (_title, schema) => {
    const Password = { type: "string", writeOnly: true };
    const Login = { type: "object", properties: { name: {}, pw: Password } };
    const content = { "application/json": { schema: { type: "array", items: schema } } };
    const get = { operationId: "x", responses: { 200: { description: "", content } } };
    const violations: string[] = [];
    const implementation = implement()({
      document: { openapi: "3.1.0", paths: { "/x": { get } }, components: { schemas: { Password, Login } } },
      handlers: { x: () => ({ status: 200, body: [{ name: "ada" }, {}] }) } as never,
      checkResponses: "always",
      onViolation: ({ pointer }) => violations.push(pointer),
    });
    await using server = await listen(implementation);
    await fetch(`${server.baseUrl}/x`);
    expect(violations).toEqual(["/body/1/name"]);
  });

  test("fails the request if the callback throws", async () => {
    const onViolation = ({ operationId, pointer }: Violation) => {
      throw new Error(`${operationId} ${pointer}`);
    };
    await using server = await serve({ getBook: { ...book, body: {} } }, { checkResponses: "always", onViolation });
    expect(await (await fetch(`${server.baseUrl}/books/1`)).json()).toEqual({ fault: "getBook /body/id" });
  });

  test("checks about the given share of responses", async () => {
    let count = 0;
    await using server = await serve(
      { getBook: { ...book, body: {} } },
      { checkResponses: { sample: 0.5 }, onViolation: () => count++ },
    );
    for (let request = 0; request < 100; request++) await fetch(`${server.baseUrl}/books/1`);
    expect(count).toBeGreaterThan(20); // outside 20 to 80 once in 10^9 runs
    expect(count).toBeLessThan(80);
  });
});

test("a response of a sample is sent unchecked, with a warning, if its schema does not compile", async () => {
  const responses = { 200: { description: "", content: { "application/json": { schema: { type: "nothing" } } } } };
  const broken = { openapi: "3.1.1", paths: { "/books": { get: { operationId: "listBooks", responses } } } };
  const handlers = { listBooks: () => ({ status: 200, body: [] }) } as never;
  const options = { document: broken, handlers, checkResponses: { sample: 0.999 } };
  await using server = await listen(implement()(options));
  const warned = once(process, "warning") as Promise<[NodeJS.ErrnoException]>;
  expect(await (await fetch(`${server.baseUrl}/books`)).json()).toEqual([]);
  expect((await warned)[0]).toMatchObject({
    code: "UNCHECKED_RESPONSES",
    message: expect.stringContaining("listBooks") as string,
  });
});

describe("checkResponses validates a discriminator as requests do:", () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const kind = { type: "string" };
  const number = { type: "integer" };
  const schemas = {
    Cat: { type: "object", required: ["kind", "lives"], properties: { kind, lives: number } },
    Dog: { type: "object", required: ["kind"], properties: { kind, bark: number } },
    One: { type: "object", properties: { kind: { const: 1 }, lives: number } },
    Two: { type: "object", properties: { kind: { const: 2 } } },
    Unnamed: { type: "object", properties: { bark: number } },
    Started: { type: "object", required: ["event"], properties: { event: kind, data: dataOf({ at: number }) } },
    Ended: { type: "object", required: ["event"], properties: { event: kind, data: dataOf({ at: kind }) } },
  };
  const choice = (names: string[], mapping?: object, keyword = "oneOf", propertyName = "kind") => {
    return { [keyword]: names.map(ref), discriminator: { propertyName, mapping } };
  };
  const named = choice(["Cat", "Dog"]);
  const mapped = choice(["Cat", "Dog"], { cat: "#/components/schemas/Cat", tom: "Cat", dog: "Dog" });
  const events = choice(["Started", "Ended"], { start: "Started", end: "Ended" }, "oneOf", "event");
  function dataOf(properties: object) {
    return { type: "string", contentMediaType: "application/json", contentSchema: { type: "object", properties } };
  }
  /** Returns the pointers of the violations, and what was sent. */
  async function respond(declared: object, body: unknown, type = "application/json") {
    const content = { [type]: type === "application/json" ? { schema: declared } : { itemSchema: declared } };
    const get = { operationId: "x", responses: { 200: { description: "", content } } };
    const violations: Violation[] = [];
    const items = async function* () {
      yield* body as unknown[];
    };
    const implementation = implement()({
      document: { openapi: "3.1.0", paths: { "/x": { get } }, components: { schemas } },
      handlers: { x: () => ({ status: 200, body: type === "application/json" ? body : items() }) } as never,
      checkResponses: "always",
      onViolation: (violation) => violations.push(violation),
    });
    await using server = await listen(implementation);
    const text = await (await fetch(`${server.baseUrl}/x`)).text();
    return { pointers: violations.map(({ pointer }) => pointer), text };
  }

  test.each<[string, object, unknown, unknown, string]>([
    ["the name of a schema", named, { kind: "Cat", lives: 9 }, { kind: "Mouse" }, "/body/kind"],
    ["one of two schemas that both match", named, { kind: "Dog", lives: 9 }, { kind: "Cat" }, "/body/lives"],
    ["a mapping", mapped, { kind: "tom", lives: 9 }, { kind: "Cat", lives: 9 }, "/body/kind"],
    ["anyOf", choice(["Cat", "Dog"], undefined, "anyOf"), { kind: "Dog" }, { kind: "dog" }, "/body/kind"],
    ["an integer", choice(["One", "Two"], { 1: "One", 2: "Two" }), { kind: 1, lives: 9 }, { kind: 3 }, "/body/kind"],
    ["a schema without the field", choice(["Unnamed"]), { kind: "Unnamed" }, { kind: "x" }, "/body/kind"],
    ["the items of a list", { type: "array", items: named }, [{ kind: "Dog" }], [{ kind: "Dog" }, {}], "/body/1/kind"],
    ["a field", { properties: { pet: mapped } }, { pet: { kind: "dog" } }, { pet: { kind: "Dog" } }, "/body/pet/kind"],
  ])("%s", async (_title, schema, right, wrong, pointer) => {
    expect(await respond(schema, right)).toEqual({ pointers: [], text: JSON.stringify(right) });
    expect((await respond(schema, wrong)).pointers).toContain(pointer);
  });

  test.each([
    ["application/jsonl", named, { kind: "Dog", lives: 9 }, { kind: "Mouse" }, "/body/1/kind"],
    [
      "text/event-stream",
      events,
      { event: "start", data: { at: 1 } },
      { event: "x", data: { at: 1 } },
      "/body/1/event",
    ],
    [
      "text/event-stream",
      events,
      { event: "end", data: { at: "1" } },
      { event: "end", data: { at: 1 } },
      "/body/1/data/at",
    ],
  ])("an item of %s", async (type, schema, right, wrong, pointer) => {
    const { pointers } = await respond(schema, [right, wrong], type);
    expect(pointers).toContain(pointer);
    expect(pointers.filter((each) => !each.startsWith("/body/1"))).toEqual([]);
  });
});

describe("a response as sent", () => {
  test("has no undeclared fields", async () => {
    await using server = await serve({ getBook: { ...book, body: { id: 1, title: "Emma", cost: 3 } } });
    expect(await (await fetch(`${server.baseUrl}/books/1`)).json()).toEqual({ id: 1, title: "Emma" });
  });

  test("has no undeclared headers", async () => {
    await using server = await serve({ getBook: { ...book, headers: { etag: '"2"', "X-Room": "1" } } });
    const { headers } = await fetch(`${server.baseUrl}/books/1`);
    expect([headers.get("ETag"), headers.get("X-Room")]).toEqual(['"2"', null]);
  });

  test("has a computed ETag if the handler's ETag is undefined", async () => {
    await using server = await serve({ getBook: { ...book, headers: { ETag: undefined } } });
    expect((await fetch(`${server.baseUrl}/books/1`)).headers.get("ETag")).toMatch(/^"[\w-]{22}"$/);
  });

  test("is an error if its media type is not declared", async () => {
    await using server = await serve({ searchBooks: { status: 200, contentType: "text/html", body: "<p>" } });
    const response = await fetch(`${server.baseUrl}/books/search`, { method: "POST" });
    expect(await response.json()).toEqual({
      fault:
        'The handler of "searchBooks" returned 200 as text/html: declare this media type in the document, or return a declared one.',
    });
  });
});

describe("a body with `toJSON` is what JSON makes of it, without undeclared fields:", () => {
  const string = { type: "string" };
  const Author = { type: "object", properties: { name: string } };
  const schema = {
    type: "object",
    properties: {
      title: string,
      at: { type: "string", format: "date-time" },
      author: Author,
      authors: { type: "array", items: Author },
      pair: { type: "array", prefixItems: [Author, Author] },
      text: { anyOf: [string, Author] },
      more: { type: "object", additionalProperties: true },
    },
  };
  class Model {
    readonly #fields: object;
    constructor(fields: object) {
      this.#fields = fields;
    }
    get title() {
      return "of the class";
    }
    toJSON() {
      return this.#fields;
    }
  }
  class Row {
    [name: string]: unknown;
    constructor(fields: object) {
      Object.assign(this, fields);
    }
    toJSON() {
      return this;
    }
  }
  class Models extends Array<object> {
    toJSON() {
      return this;
    }
  }
  const emma = { title: "Emma", passwordHash: "x" };
  const ada = { name: "Ada", passwordHash: "x" };
  const named = { toJSON: (key: string) => ({ name: `[${key}]`, passwordHash: "x" }) };
  const hidden = Object.defineProperty({}, "toJSON", { value: () => ada });
  const callable = Object.assign(() => {}, { passwordHash: "x" });

  test.each<[string, unknown, object]>([
    ["a class with private fields", new Model(emma), { title: "Emma" }],
    ["a class whose `toJSON` returns itself", new Row(emma), { title: "Emma" }],
    ["a class with declared fields alone", new Row({ title: "Emma" }), { title: "Emma" }],
    ["a result with a `toJSON` of its own, which JSON ignores", new Model(new Model(emma)), {}],
    ["a result that would be replaced", new Model({ title: "Emma", toJSON: () => ada }), { title: "Emma" }],
    ["a plain object with `toJSON`", { passwordHash: "x", toJSON: () => emma }, { title: "Emma" }],
    ["an object without a prototype", Object.assign(Object.create(null), emma), { title: "Emma" }],
    [
      "a proxy",
      new Proxy(new Model(emma), { get: (model, name) => Reflect.get(model, name).bind(model) }),
      { title: "Emma" },
    ],
    ["a field", { author: new Model(ada) }, { author: { name: "Ada" } }],
    ["a field with a hidden `toJSON`", { author: hidden }, { author: { name: "Ada" } }],
    [
      "a function with `toJSON`",
      { author: Object.assign(() => {}, { toJSON: () => ada }) },
      { author: { name: "Ada" } },
    ],
    ["items", { authors: [new Model(ada), ada] }, { authors: [{ name: "Ada" }, { name: "Ada" }] }],
    ["a list of a class", { authors: Models.from([ada]) }, { authors: [{ name: "Ada" }] }],
    ["a list that `toJSON` returns", { authors: new Model([ada]) }, { authors: [{ name: "Ada" }] }],
    ["a tuple", { pair: Models.from([new Model(ada), ada]) }, { pair: [{ name: "Ada" }, { name: "Ada" }] }],
    [
      "the keys that `toJSON` gets",
      { author: named, authors: [named, named], pair: [named] },
      { author: { name: "[author]" }, authors: [{ name: "[0]" }, { name: "[1]" }], pair: [{ name: "[0]" }] },
    ],
    ["a date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["an invalid date", { at: new Date(NaN) }, { at: null }],
    ["a `toJSON` that returns nothing", { title: "Emma", author: { toJSON: () => undefined } }, { title: "Emma" }],
    ["a string object", { text: Object("Ada") }, { text: "Ada" }],
    [
      "functions, symbols and undefined",
      { title: Symbol("x"), text: callable, authors: [undefined, callable, ada] },
      { authors: [null, null, { name: "Ada" }] },
    ],
    ["a Map and bytes", { author: new Map([["name", "Ada"]]), text: Buffer.from("a") }, { author: {}, text: {} }],
    [
      "fields that a schema leaves open",
      { more: { model: new Model(ada), a: new Model(emma) } },
      { more: { model: ada, a: emma } },
    ],
  ])("%s", async (_title, body, expected) => {
    const responses = { 200: { description: "", content: { "application/json": { schema } } } };
    const paths = { "/x": { get: { operationId: "x", responses } } };
    const handlers = { x: () => ({ status: 200, body }) } as never;
    await using server = await listen(implement()({ document: { openapi: "3.1.0", paths }, handlers }));
    expect(await (await fetch(`${server.baseUrl}/x`)).json()).toEqual(expected);
  });
});

test("`ready` reports a response schema that does not compile, for its operation only", async () => {
  const broken = structuredClone(document) as OpenApiDocument & {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  const response = { description: "", content: { "application/json": { schema: { type: "strng", pattern: "(" } } } };
  broken.paths["/books/{bookId}"]!["get"]!.responses = { 200: response };
  const handlers = {
    getBook: () => book,
    addBook: () => ({ status: 204 }),
    searchBooks: () => ({ status: 200, contentType: "text/csv", body: "id" }),
  } as unknown as Handlers<operations>;
  const start = (checkResponses: "off" | "always") =>
    implement<operations>()({ document: broken, handlers, checkResponses, warm: true });
  const [reported, ...others] = await start("always").ready;
  expect([reported?.operationId, others]).toEqual(["getBook", []]);
  expect(reported?.error).toMatchObject({
    cause: { message: expect.stringContaining("The response schemas do not compile") as string },
  });
  expect(await start("off").ready).toEqual([]);
});

test("a header that is declared without a schema may have any value", async () => {
  const changed = structuredClone(document) as OpenApiDocument & {
    paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>;
  };
  changed.paths["/books/{bookId}"]!["get"]!.responses["200"]!.headers = {
    ETag: { required: true },
    Age: { schema: { type: "integer" } },
  };
  const violations: Violation[] = [];
  const handlers = { getBook: () => book, addBook: () => ({ status: 204 }), searchBooks: () => ({ status: 204 }) };
  const onViolation = (violation: Violation) => violations.push(violation);
  const implementation = implement<operations>()({
    document: changed,
    handlers: handlers as unknown as Handlers<operations>,
    checkResponses: "always",
    onViolation,
  });
  await using server = await listen(implementation);
  expect((await fetch(`${server.baseUrl}/books/1`)).headers.get("ETag")).toBe('"1"');
  expect(violations).toEqual([]);
});

test("a body is written as JSON if its media type has the suffix +json", async () => {
  const get = { operationId: "x", responses: { 200: { description: "", content: { "application/geo+json": {} } } } };
  const handlers = { x: () => ({ status: 200, body: "a" }) } as never;
  await using server = await listen(
    implement()({ document: { openapi: "3.1.0", paths: { "/x": { get } } }, handlers }),
  );
  const response = await fetch(`${server.baseUrl}/x`);
  expect([response.headers.get("Content-Type"), await response.text()]).toEqual(["application/geo+json", '"a"']);
});

test("bytes and text of other media types than JSON are not validated by their schema", async () => {
  const content = {
    "image/png": { schema: { type: "string", maxLength: 1 } },
    "text/plain": { schema: { type: "object" } },
  };
  const get = { operationId: "x", responses: { 200: { description: "", content } } };
  const violations: Violation[] = [];
  const answers = [
    { status: 200, contentType: "image/png", body: Buffer.from("abc") },
    { status: 200, contentType: "text/plain", body: "abc" },
  ];
  const implementation = implement()({
    document: { openapi: "3.1.0", paths: { "/x": { get } } },
    handlers: { x: () => answers.shift() } as never,
    checkResponses: "always",
    onViolation: (violation) => violations.push(violation),
  });
  await using server = await listen(implementation);
  for (const type of ["image/png", "text/plain"]) {
    const response = await fetch(`${server.baseUrl}/x`);
    expect([response.headers.get("Content-Type"), await response.text()]).toEqual([type, "abc"]);
  }
  expect(violations).toEqual([]);
});

test.each([
  [200, "0"],
  [202, "0"],
  [204, null],
  [304, null],
  [404, "0"],
])("a response %d without a body has the Content-Length %s", async (status, length) => {
  const get = { operationId: "x", responses: { [status]: { description: "" } } };
  const handlers = { x: () => ({ status }) } as never;
  await using server = await listen(
    implement()({ document: { openapi: "3.1.0", paths: { "/x": { get } } }, handlers }),
  );
  const response = await fetch(`${server.baseUrl}/x`);
  expect([response.status, response.headers.get("Content-Length"), await response.text()]).toEqual([
    status,
    length,
    "",
  ]);
});

test("a body keeps the fields beside the reference of a component that the response refers to, and is checked with them", async () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const Base = { type: "object", properties: { a: { type: "integer" } } };
  const Closed = { ...ref("Base"), properties: { b: { type: "string" } }, unevaluatedProperties: false };
  const responses = { 200: { description: "", content: { "application/json": { schema: ref("Closed") } } } };
  const paths = { "/x": { get: { operationId: "x", responses } } };
  const violations: string[] = [];
  const body = { a: 1, b: "x", c: 1 };
  await using server = await listen(
    implement()({
      document: { openapi: "3.1.0", paths, components: { schemas: { Base, Closed } } },
      handlers: { x: () => ({ status: 200, body }) } as never,
      checkResponses: "always",
      onViolation: ({ pointer }) => void violations.push(pointer),
    }),
  );
  expect(await (await fetch(`${server.baseUrl}/x`)).json()).toEqual({ a: 1, b: "x" });
  expect(violations).toEqual(["/body/c"]);
});
