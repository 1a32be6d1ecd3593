import { runInNewContext } from "node:vm";
import express from "express";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationsOf } from "openapi-document";
import { type Handlers, implement, type OpenApiDocument, Problem } from "../src/index.ts";
import { document, type operations } from "./fixtures/bookshop.ts";
import { listen } from "./listen.ts";

const BOOK = { status: 200 as const, headers: { ETag: '"8"' }, body: { id: 8, title: "Emma" } };
const seen: unknown[] = [];
const handlers: Handlers<operations> = {
  getBook: ({ path, requestPath }) => {
    seen.push(path);
    if (path.bookId === 500) throw new Error("the shelf fell over");
    if (path.bookId === 8)
      return runInNewContext("Promise.resolve(response)", { response: BOOK }) as Promise<typeof BOOK>;
    if (path.bookId === 404) return { status: 404, body: { code: "not_found" } };
    return { status: 200, headers: { ETag: '"1"' }, body: { id: path.bookId, title: requestPath } };
  },
  addBook: ({ contentType, body }) => {
    seen.push([contentType, body]);
    return { status: 204 };
  },
  searchBooks: ({ query, cookies, body }) => {
    seen.push({ query, cookies, body });
    return { status: 200, contentType: "text/csv", body: "id,title" };
  },
};

describe("a served document", () => {
  let server: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => void (server = await listen(implement<operations>()({ document, handlers }), "/shop")));
  afterAll(() => server[Symbol.asyncDispose]());

  const send = (path: string, init?: RequestInit) => fetch(server.baseUrl + path, init);
  const post = (path: string, body: string, type: string, headers: Record<string, string> = {}) =>
    send(path, { method: "POST", body, headers: { "Content-Type": type, ...headers } });

  test("a parameter reaches the handler with its declared type, even if it is 0", async () => {
    const response = await send("/books/0");
    expect(await response.json()).toEqual({ id: 0, title: "/shop/books/0" });
    expect(seen.at(-1)).toEqual({ bookId: 0 });
    expect(response.headers.get("ETag")).toBe('"1"');
  });

  test("a promise of another realm is waited for", async () => {
    expect(await (await send("/books/8")).json()).toEqual(BOOK.body);
  });

  test("a declared failure is sent as returned", async () => {
    const response = await send("/books/404");
    expect([response.status, await response.json()]).toEqual([404, { code: "not_found" }]);
  });

  test("response.locals has the operationId before validation, if an operation matches", async () => {
    const ended: string[] = [];
    const serve = implement<operations>()({ document, handlers });
    await using other = await listen((request, response, next) => {
      response.once("finish", () => ended.push(`${request.originalUrl} ${response.locals["operationId"]}`));
      serve(request, response, next);
    });
    for (const path of ["/books/0", "/books/x", "/nope"]) await fetch(other.baseUrl + path);
    await fetch(`${other.baseUrl}/books/0`, { method: "PATCH" });
    expect(ended).toEqual(["/books/0 getBook", "/books/x getBook", "/nope undefined", "/books/0 undefined"]);
  });

  test("beforeHandler of response.locals is called for valid requests alone, and its Problem is sent", async () => {
    const serve = implement<operations>()({ document, handlers });
    let calls = 0;
    await using other = await listen((request, response, next) => {
      response.locals["beforeHandler"] = () => {
        calls++;
        throw new Problem(503, "busy", "Retry later.");
      };
      serve(request, response, next);
    });
    const statusOf = async (path: string) => (await fetch(other.baseUrl + path)).status;
    expect([await statusOf("/books/x"), calls, await statusOf("/books/1"), calls]).toEqual([400, 0, 503, 1]);
  });

  test("a context that is no function is the context of each handler", async () => {
    const getBook = ({ context }: { context: object }) => ({ status: 404, body: context });
    const changed = { ...handlers, getBook } as never;
    await using other = await listen(implement()({ document, handlers: changed, context: { code: "here" } }));
    expect(await (await fetch(`${other.baseUrl}/books/1`)).json()).toEqual({ code: "here" });
  });

  test("an error of a handler reaches the error handler of Express", async () => {
    const response = await send("/books/500");
    expect([response.status, await response.json()]).toEqual([500, { fault: "the shelf fell over" }]);
  });

  test("an error of problemFormat reaches the error handler of Express", async () => {
    const problemFormat = ({ status }: Problem) => {
      throw new Error(`no words for ${status}`);
    };
    await using other = await listen(implement<operations>()({ document, handlers, problemFormat }));
    const ask = async (path: string, init: RequestInit) => (await fetch(other.baseUrl + path, init)).json();
    const body = "x".repeat(21);
    expect(await ask("/books/search", {})).toEqual({ fault: "no words for 405" });
    expect(await ask("/books", { method: "POST", body })).toEqual({ fault: "no words for 400" });
    const headers = { "Content-Type": "text/xml" };
    expect(await ask("/books", { method: "POST", body, headers })).toEqual({ fault: "no words for 415" });
  });

  test("a body reaches the handler with its declared media type", async () => {
    expect((await post("/books", '{"title":"Emma"}', "application/json; charset=utf-8")).status).toBe(204);
    expect(seen.at(-1)).toEqual(["application/json", { title: "Emma" }]);
    expect((await post("/books", "Emma", "text/plain")).status).toBe(204);
    expect(seen.at(-1)).toEqual(["text/plain", "Emma"]);
    expect((await post("/books", "x".repeat(21), "text/plain")).status).toBe(400);
    expect((await post("/books", "<a/>", "text/xml")).status).toBe(415);
  });

  test("an optional body may be missing", async () => {
    const response = await send("/books/search?text=emma", { method: "POST", headers: { Cookie: "session=abc" } });
    expect([response.status, response.headers.get("Content-Type"), await response.text()]).toEqual([
      200,
      "text/csv",
      "id,title",
    ]);
    expect(seen.at(-1)).toEqual({ query: { text: "emma" }, cookies: { session: "abc" }, body: undefined });
    expect((await send("/books/search", { method: "POST", headers: { Cookie: "session=a" } })).status).toBe(400);
  });

  test("literal segments take precedence over parameters, and both have their own methods", async () => {
    const response = await send("/books/search", { method: "GET" });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "OPTIONS, POST"]);
  });

  test("problemFormat returns the body of an error response", async () => {
    const problemFormat = ({ status, code, message, headers }: Problem) => ({
      body: { type: code, status, message, headers },
    });
    await using other = await listen(implement<operations>()({ document, handlers, problemFormat }));
    const response = await fetch(`${other.baseUrl}/books/search`);
    expect([response.status, response.headers.get("Allow"), await response.json()]).toEqual([
      405,
      "OPTIONS, POST",
      {
        type: "method_not_allowed",
        status: 405,
        message: "This path allows only the methods OPTIONS, POST.",
        headers: { Allow: "OPTIONS, POST" },
      },
    ]);
    expect(await (await send("/nothing")).json()).toEqual({
      code: "not_found",
      message: "There is no resource at this path. Paths are case-sensitive, and a trailing slash counts.",
      status: 404,
    });
  });

  test("an operation is compiled once, at its first request", async () => {
    let looked = 0;
    const content = {
      get "text/plain"() {
        looked++;
        return { schema: { type: "string" } };
      },
    };
    const paths = structuredClone(document.paths) as Record<string, Record<string, { requestBody: object }>>;
    paths["/books"]!["post"]!.requestBody = { content };
    await using lazy = await listen(implement<operations>()({ document: { ...document, paths }, handlers }));
    await fetch(`${lazy.baseUrl}/books/1`);
    const started = looked;
    const ask = () => fetch(`${lazy.baseUrl}/books`, { method: "POST", body: "x" });
    expect((await ask()).status).toBe(204);
    const made = looked;
    expect(made).toBeGreaterThan(started);
    await ask();
    expect(looked).toBe(made);
  });

  test("406 is sent if no media type of a success is acceptable", async () => {
    const accepting = async (accept: string) =>
      (await post("/books/search", "{}", "application/json", { Accept: accept })).status;
    expect([await accepting("text/html"), await accepting("text/*")]).toEqual([406, 400]);
  });
});

describe("a document and an implementation that do not match", () => {
  const attempt =
    (change: Partial<Record<string, unknown>>, base: OpenApiDocument = document) =>
    () =>
      implement<operations>()({ document: base, handlers: { ...handlers, ...change } });

  test("stop the start, and the error names the operation and the remedy", () => {
    const { getBook: _, ...rest } = handlers;
    expect(() => implement<operations>()({ document, handlers: rest as typeof handlers })).toThrow(
      'Operation "getBook" has no handler: add one to the handlers.',
    );
    expect(attempt({ burnBook: () => ({ status: 200 }) })).toThrow('Handler "burnBook" has no operation');
    for (const openapi of ["2.0", "3.3.0", "3.10.0", "13.1.0"])
      expect(attempt({}, { ...document, openapi })).toThrow(`OpenAPI ${openapi}; only 3.0, 3.1 and 3.2 can be served`);
  });

  test.each<[given: string, change: object, options: object, message: string]>([
    ["a handler", { getBook: "x" }, {}, 'The handler of operation "getBook" is a string: give it a function.'],
    ["null as a handler", { getBook: null }, {}, 'The handler of operation "getBook" is null: give it a function.'],
    [
      "no handlers",
      {},
      { handlers: undefined },
      "The option handlers is undefined. It has to be an object of functions.",
    ],
    ["a callback", {}, { onViolation: null }, "The option onViolation is null. It has to be a function."],
    ["a cache", {}, { cache: {} }, "The option cache.version is undefined. It has to be a function or a string."],
    ["null as security", {}, { security: null }, "The option security is null. It has to be an object of functions."],
    ["a format", {}, { problemFormat: "xml" }, 'The option problemFormat is "xml". It has to be "declared"'],
  ])("are a TypeError at start for %s that is no function", (_given, change, options, message) => {
    const given = { document, handlers: { ...handlers, ...change }, ...options } as never;
    expect(() => implement<operations>()(given)).toThrow(TypeError);
    expect(() => implement<operations>()(given)).toThrow(message);
  });

  test("are reported for a security handler that is no function", () => {
    const paths = { "/x": { get: { operationId: "x", responses: {}, security: [{ key: [] }] } } };
    const components = { securitySchemes: { key: { type: "http", scheme: "bearer" } } };
    const given = { document: { openapi: "3.1.0", paths, components }, handlers: { x: () => ({}) } as never };
    expect(() => implement()({ ...given, security: { key: "secret" as never } })).toThrow(
      'The handler of the security scheme "key" is a string: give it a function.',
    );
  });

  test.each<[returned: string, value: unknown, message: string]>([
    ["nothing", undefined, "returned undefined. Return an object with a declared status"],
    ["null", null, "returned null."],
    ["a text", "done", "returned a string."],
    ["no status", {}, "returned the status undefined."],
    ["a status that is a text", { status: "200" }, "returned the status a string."],
    ["a status that is no integer", { status: 200.5 }, "returned the status 200.5."],
    ["a status that HTTP does not have", { status: 1000 }, "returned the status 1000."],
    ["an undeclared status", { status: 299 }, "returned the status 299: declare it"],
  ])("lead to an error that names the operation, if its handler returned %s", async (_returned, value, message) => {
    const changed = { ...handlers, getBook: () => value as never };
    await using server = await listen(implement<operations>()({ document, handlers: changed }));
    const response = await fetch(`${server.baseUrl}/books/1`);
    expect([response.status, await response.json()]).toEqual([
      500,
      { fault: expect.stringContaining(`The handler of "getBook" ${message}`) as string },
    ]);
  });

  test("are reported with the unknown handler directly after the operation without a handler", () => {
    const { getBook, ...rest } = handlers;
    const start = () => implement<operations>()({ document, handlers: { ...rest, readBook: getBook } as never });
    expect(start).toThrow(
      new TypeError(
        [
          "The document and its implementation do not match:",
          '- Operation "getBook" has no handler: add one to the handlers.',
          '- Handler "readBook" has no operation: remove it, or add the operation to the document.',
        ].join("\n"),
      ),
    );
  });

  test("are reported for a scheme without a handler and a duplicate operationId", () => {
    const paths = structuredClone(document.paths) as Record<
      string,
      Record<string, { operationId?: string; security?: object[] }>
    >;
    paths["/books/{bookId}"]!["get"]!.security = [{ login: [] }];
    paths["/books/search"]!["post"]!.operationId = "getBook";
    const start = attempt({}, { ...document, paths });
    expect(start).toThrow('Operation "getBook" needs the security scheme "login"');
    expect(start).toThrow('The document has two operations "getBook": rename one.');
  });

  test("are reported for duplicate methods and paths, and for path parameters without a place in the path", () => {
    const responses = { 200: { description: "" } };
    const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
    const paths = {
      "/a/{id}": { get: { operationId: "one", parameters, responses }, put: { operationId: "two", responses } },
      "/a/{other}": { get: { operationId: "three", parameters, responses } },
      "/a/": { get: { operationId: "four", responses } },
    };
    const answer = () => ({ status: 200 });
    const given = { one: answer, two: answer, three: answer, four: answer } as never;
    const start = () => implement()({ document: { openapi: "3.1.0", paths }, handlers: given });
    expect(start).toThrow(
      new TypeError(
        [
          "The document and its implementation do not match:",
          '- Operations "one" and "three" have the same method and path, because parameter names do not count (/a/{id} and /a/{other}): remove one, or change its path.',
          '- Operation "three" has a path parameter "id" that its path /a/{other} does not name: correct one.',
        ].join("\n"),
      ),
    );
  });

  test("cause an error at an undeclared status", async () => {
    await using server = await listen(attempt({ getBook: () => ({ status: 202, body: {} }) })());
    const response = await fetch(`${server.baseUrl}/books/1`);
    expect(await response.json()).toEqual({
      fault: 'The handler of "getBook" returned the status 202: declare it in the document, or return a declared one.',
    });
  });

  test("are reported by `ready` for a parameter with a broken schema", async () => {
    const broken = structuredClone<OpenApiDocument>(document);
    const get = operationsOf(broken).find(({ id }) => id === "getBook")!.operation as { parameters?: object[] };
    get.parameters = [...(get.parameters ?? []), { in: "query", name: "q", schema: { type: "strng" } }];
    const { ready } = implement<operations>()({ document: broken, handlers, warm: true });
    expect((await ready).map(({ operationId }) => operationId)).toEqual(["getBook"]);
  });

  test("are reported by `ready` with the reason why a shared schema is broken", async () => {
    const broken = structuredClone(document) as OpenApiDocument & { components: { schemas: Record<string, object> } };
    broken.components.schemas["Broken"] = { type: "string", pattern: "(" };
    const paths = broken.paths as Record<string, Record<string, { requestBody: object }>>;
    const schema = { $ref: "#/components/schemas/Broken" };
    paths["/books"]!["post"]!.requestBody = { content: { "application/json": { schema } } };
    const { ready } = implement<operations>()({ document: broken, handlers, warm: true });
    const reason = { cause: { message: expect.stringContaining("Invalid regular expression") as string } };
    expect(await ready).toMatchObject([{ operationId: "addBook", error: reason }]);
  });

  test("are reported by `ready` for a broken body schema, which breaks only its operation", async () => {
    const broken = structuredClone(document) as OpenApiDocument & { components: { schemas: Record<string, object> } };
    const paths = broken.paths as Record<string, Record<string, { requestBody: object }>>;
    paths["/books"]!["post"]!.requestBody = {
      content: { "application/json": { schema: { type: "strng", pattern: "(" } } },
    };
    const implementation = implement<operations>()({ document: broken, handlers, warm: true });
    expect((await implementation.ready).map(({ operationId }) => operationId)).toEqual(["addBook"]);
    await using server = await listen(implementation);
    expect((await fetch(`${server.baseUrl}/books/1`)).status).toBe(200);
    const response = await fetch(`${server.baseUrl}/books`, {
      method: "POST",
      body: "{}",
      headers: { "Content-Type": "application/json" },
    });
    expect(await response.json()).toEqual({
      fault: 'Operation "addBook" cannot be served: its schemas do not compile. The cause says why.',
    });
  });
});

test.each([undefined, null, "route", "router"])("a handler that rejects with %o gets 500", async (reason) => {
  const get = { operationId: "x", responses: { 200: { description: "" } } };
  const failing = { x: () => Promise.reject(reason) } as never;
  await using server = await listen(
    implement()({ document: { openapi: "3.1.0", paths: { "/x": { get } } }, handlers: failing }),
  );
  expect((await fetch(`${server.baseUrl}/x`)).status).toBe(500);
});

test("an error after the head was sent reaches the error handler of Express unchanged", async () => {
  const get = { operationId: "x", deprecated: true, "x-sunset": "2030-12-05", responses: { 200: { description: "" } } };
  const failing = {
    x: () => {
      throw new Error("the shelf fell over");
    },
  } as never;
  const thrown: unknown[] = [];
  const app = express()
    .use((_request, response, next) => {
      response.writeHead(200).flushHeaders();
      next();
    })
    .use(implement()({ document: { openapi: "3.1.0", paths: { "/x": { get } } }, handlers: failing }))
    .use(((error: Error, _request, response, _next) => {
      thrown.push(error.message);
      response.end();
    }) as express.ErrorRequestHandler);
  await using server = await listen(app);
  await (await fetch(`${server.baseUrl}/x`)).text();
  expect(thrown).toEqual(["the shelf fell over"]);
});

test("an optional file may be missing; text instead of a file and truncated parts are rejected", async () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string" }, photo: { type: "string", format: "binary" } },
  };
  const requestBody = { content: { "multipart/form-data": { schema } } };
  const post = { operationId: "x", requestBody, responses: { 204: { description: "" } } };
  await using server = await listen(
    implement()({
      document: { openapi: "3.1.0", paths: { "/x": { post } } },
      handlers: { x: () => ({ status: 204 }) } as never,
    }),
  );
  const send = async (fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return (await fetch(`${server.baseUrl}/x`, { method: "POST", body })).status;
  };
  expect(await send({ name: "Rex" })).toBe(204);
  expect(await send({ name: "Rex", photo: "text" })).toBe(400);
  const headers = { "Content-Type": "multipart/form-data; boundary=B" };
  for (const body of ["--B\r\nno head", '--B\r\nContent-Disposition: form-data; name="name"\r\n\r\nRex']) {
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body, headers });
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: "invalid_request", message: expect.stringContaining("multipart/form-data") as string, status: 400 },
    ]);
  }
});

test("mismatches are listed in the order of the document", () => {
  const responses = {};
  const security = [{ key: [], basic: [] }];
  const paths = { "/x": { get: { operationId: "one", responses, security }, put: { responses } } };
  const components = { securitySchemes: { key: { type: "oauth2" }, basic: { type: "http", scheme: "basic" } } };
  const given = { two: () => ({ status: 200 }), three: () => ({ status: 200 }) } as never;
  const start = () => implement()({ document: { openapi: "3.1.0", paths, components }, handlers: given });
  expect(start).toThrow(
    new TypeError(
      [
        "The document and its implementation do not match:",
        '- Operation "one" has no handler: add one to the handlers.',
        '- Operation "one" needs the security scheme "key": add its handler to `security`.',
        '- Operation "one" needs the security scheme "basic": add its handler to `security`.',
        '- Operation "PUT /x" has no handler: add one to the handlers.',
        '- Handler "two" has no operation: remove it, or add the operation to the document.',
        '- Handler "three" has no operation: remove it, or add the operation to the document.',
      ].join("\n"),
    ),
  );
});
