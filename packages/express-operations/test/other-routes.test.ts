import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import express, { type RequestHandler } from "express";
import { describe, expect, test } from "vitest";
import { implement, type OpenApiDocument } from "../src/index.ts";
import { listen } from "./listen.ts";

const BOOK = { type: "object", required: ["title"], properties: { title: { type: "string", minLength: 1 } } };
const json = (schema: object, more: object = {}) => ({
  description: "",
  content: { "application/json": { schema, ...more } },
});

const books = documentOf({
  "/books": {
    get: { operationId: "listBooks", responses: { 200: json({ type: "array", items: BOOK }) } },
    post: {
      operationId: "addBook",
      security: [{ token: ["write"] }],
      requestBody: json(BOOK),
      responses: {
        201: json(BOOK, { example: { title: "Persuasion" } }),
        default: { description: "", content: { "application/problem+json": {} } },
      },
    },
  },
});
const orders = documentOf({
  "/books": { delete: { operationId: "removeBooks", responses: { 204: { description: "" } } } },
  "/orders": { get: { operationId: "listOrders", responses: { 200: json({ type: "array" }) } } },
});

function documentOf(paths: object): OpenApiDocument {
  const components = { securitySchemes: { token: { type: "http", scheme: "bearer" } } };
  return { openapi: "3.1.1", paths, components };
}

const listBooks = () => ({ status: 200, body: [{ title: "Emma" }] });
const security = { token: (given: string) => (given === "secret" ? { caller: "Ada", scopes: ["write"] } : undefined) };
const bookshop = (options: object = {}, handlers: object = { listBooks, addBook: () => ({ status: 201 }) }) =>
  implement()({ document: books, handlers, security, ...options });

/** Names itself, the method, the path and the parsed body, as a route behind the implementation sees them. */
const legacy: RequestHandler = (request, response) => {
  response.status(299).json({ legacy: `${request.method} ${request.originalUrl}`, body: request.body as unknown });
};

/** Mounts handlers at `/v1`, with a body parser and routes of the application behind them. */
function serve(...handlers: RequestHandler[]) {
  return listen(
    express()
      .use("/v1", ...handlers)
      .use(express.json(), legacy),
  );
}

const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json", ...headers },
});
const AUTHORIZED = { Authorization: "Bearer secret" };

describe('with unknownPaths: "next"', () => {
  test("requests of unknown paths reach the routes behind, with their bodies unread", async () => {
    await using server = await serve(bookshop({ unknownPaths: "next" }));
    const response = await fetch(`${server.baseUrl}/v1/carts?x=1`, post({ id: 1 }));
    expect([response.status, await response.json()]).toEqual([299, { legacy: "POST /v1/carts?x=1", body: { id: 1 } }]);
    expect((await fetch(`${server.baseUrl}/v1/books/`)).status).toBe(299);
  });

  test.each(["OPTIONS", "PUT", "PROPFIND"])("%s of a path that lacks it reaches the routes behind", async (method) => {
    await using server = await serve(bookshop({ unknownPaths: "next" }));
    const request = httpRequest(`${server.baseUrl}/v1/books`, { method }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    expect([response.statusCode, response.headers.allow]).toEqual([299, undefined]);
  });

  test("HEAD belongs to the path's GET", async () => {
    await using server = await serve(bookshop({ unknownPaths: "next" }));
    const statusOf = async (path: string) => (await fetch(server.baseUrl + path, { method: "HEAD" })).status;
    expect([await statusOf("/v1/books"), await statusOf("/v1/carts")]).toEqual([200, 299]);
  });

  test("known operations respond with their own errors", async () => {
    await using server = await serve(bookshop({ unknownPaths: "next" }));
    expect((await fetch(`${server.baseUrl}/v1/books`, post({ title: "Emma" }))).status).toBe(401);
    expect((await fetch(`${server.baseUrl}/v1/books`, post({ title: "" }, AUTHORIZED))).status).toBe(400);
  });

  test("a request that is passed on leaves response.locals alone", async () => {
    const locals: object[] = [];
    const record: RequestHandler = (_request, response) => response.json(locals.push({ ...response.locals }));
    await using server = await listen(express().use(bookshop({ unknownPaths: "next" }), record));
    await fetch(`${server.baseUrl}/books`, { method: "PUT" });
    expect(locals).toEqual([{}]);
  });

  test("two documents share a prefix, and even a path", async () => {
    const handlers = { removeBooks: () => ({ status: 204 }), listOrders: () => ({ status: 200, body: [] }) };
    const office = implement()({ document: orders, handlers: handlers as never });
    await using server = await serve(bookshop({ unknownPaths: "next" }), office);
    const answer = async (method: string, path: string) => {
      const response = await fetch(`${server.baseUrl}/v1${path}`, { method });
      return [response.status, response.headers.get("Allow")];
    };
    expect(await answer("GET", "/books")).toEqual([200, null]);
    expect(await answer("DELETE", "/books")).toEqual([204, null]);
    expect(await answer("GET", "/orders")).toEqual([200, null]);
    // The last document is strict: it answers for all that is left.
    expect(await answer("PUT", "/books")).toEqual([405, "DELETE, OPTIONS"]);
    expect(await answer("GET", "/carts")).toEqual([404, null]);
  });

  test("errors of handlers reach the error handler behind the other routes", async () => {
    const failing = () => {
      throw new Error("the shelf fell over");
    };
    await using server = await serve(bookshop({ unknownPaths: "next" }, { listBooks: failing, addBook: failing }));
    const response = await fetch(`${server.baseUrl}/v1/books`);
    expect([response.status, await response.json()]).toEqual([500, { fault: "the shelf fell over" }]);
  });
});

test("by default, unknown paths get 404, unknown methods 405, and OPTIONS 204, in front of other routes", async () => {
  await using server = await serve(bookshop());
  const statusOf = async (method: string, path: string) => (await fetch(server.baseUrl + path, { method })).status;
  expect(await statusOf("GET", "/v1/carts")).toBe(404);
  expect(await statusOf("PUT", "/v1/books")).toBe(405);
  expect(await statusOf("OPTIONS", "/v1/books")).toBe(204);
});

describe("an operation without a handler", () => {
  const partly = (notImplemented: string, options: object = {}) =>
    bookshop({ notImplemented, ...options }, { listBooks });
  const add = (baseUrl: string, title: string, headers?: Record<string, string>) =>
    fetch(`${baseUrl}/v1/books`, post({ title }, headers));

  test('gets 501 in the declared format after its credentials and input were validated, with "501"', async () => {
    await using server = await serve(partly("501"));
    const response = await add(server.baseUrl, "Emma", AUTHORIZED);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
    expect([response.status, await response.json()]).toEqual([
      501,
      {
        type: "about:blank",
        title: "Not Implemented",
        status: 501,
        detail: 'The operation "addBook" is not implemented yet.',
        code: "not_implemented",
      },
    ]);
    expect((await add(server.baseUrl, "Emma")).status).toBe(401);
    expect((await add(server.baseUrl, "", AUTHORIZED)).status).toBe(400);
    expect(await (await fetch(`${server.baseUrl}/v1/books`)).json()).toEqual([{ title: "Emma" }]);
  });

  test('responds with the example of the document after its credentials and input were validated, with "mock"', async () => {
    await using server = await serve(partly("mock", { checkResponses: "always" }));
    const response = await add(server.baseUrl, "Emma", AUTHORIZED);
    expect([response.status, await response.json()]).toEqual([201, { title: "Persuasion" }]);
    expect((await add(server.baseUrl, "Emma")).status).toBe(401);
    expect((await add(server.baseUrl, "", AUTHORIZED)).status).toBe(400);
  });

  test('responds with a generated value if the document has no example, with "mock"', async () => {
    const schema = {
      type: "object",
      required: ["id", "sold"],
      properties: { id: { type: "string", format: "uuid" }, sold: { type: "string", format: "date" } },
    };
    const sale = { type: "object", xml: { name: "sale" }, properties: { id: { type: "integer", example: 7 } } };
    const paths = {
      "/sales": {
        get: { operationId: "listSales", responses: { 200: json({ type: "array", minItems: 2, items: schema }) } },
      },
      "/log": {
        get: {
          operationId: "readLog",
          responses: { 200: { description: "", content: { "text/csv": { example: "id\n1\n" } } } },
        },
      },
      "/last": {
        get: {
          operationId: "lastSale",
          responses: { 200: { description: "", content: { "application/xml": { schema: sale } } } },
        },
      },
    };
    const shop = implement()({
      document: documentOf(paths),
      handlers: {},
      notImplemented: "mock",
      checkResponses: "always",
      onViolation: ({ message }) => expect.unreachable(message),
    });
    await using server = await serve(shop);
    const sales = (await (await fetch(`${server.baseUrl}/v1/sales`)).json()) as object[];
    expect(sales).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
        sold: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
      },
      expect.anything(),
    ]);
    const log = await fetch(`${server.baseUrl}/v1/log`);
    expect([log.headers.get("Content-Type"), await log.text()]).toEqual(["text/csv", "id\n1\n"]);
    const last = await (await fetch(`${server.baseUrl}/v1/last`)).text();
    expect(last).toBe('<?xml version="1.0" encoding="UTF-8"?>\n<sale><id>7</id></sale>');
  });

  test('goes to the routes behind, before its credentials and input are validated, with "next"', async () => {
    await using server = await serve(partly("next"));
    const response = await add(server.baseUrl, "");
    expect([response.status, await response.json()]).toEqual([299, { legacy: "POST /v1/books", body: { title: "" } }]);
    // The other methods of its path stay strict, and know it.
    const other = await fetch(`${server.baseUrl}/v1/books`, { method: "PUT" });
    expect([other.status, other.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS, POST"]);
    expect(await (await fetch(`${server.baseUrl}/v1/books`)).json()).toEqual([{ title: "Emma" }]);
  });

  test('passes HEAD on with its GET, with "next"', async () => {
    await using server = await serve(bookshop({ notImplemented: "next" }, { addBook: () => ({ status: 201 }) }));
    expect((await fetch(`${server.baseUrl}/v1/books`, { method: "HEAD" })).status).toBe(299);
  });

  test('needs no security handler, and no feature that this package serves, with "next"', async () => {
    const paths = {
      "/x": {
        get: { operationId: "x", security: [{ token: [] }, { cert: [] }], responses: {} },
        put: { operationId: "y", responses: {}, requestBody: json({ type: "string", pattern: "(" }) },
      },
    };
    const compilePattern = (pattern: string) => expect.unreachable(pattern);
    const start = (notImplemented: string) =>
      implement()({ document: documentOf(paths), handlers: {}, notImplemented, warm: true, compilePattern } as never);
    expect(start("next").missing).toEqual(["x", "y"]);
    expect(await start("next").ready).toEqual([]);
    expect(() => start("501")).toThrow("y, body: The pattern ( cannot be compiled.");
    const withoutPattern = { document: documentOf(paths), handlers: {}, notImplemented: "501" as const };
    expect(() => implement()(withoutPattern)).toThrow('Operation "x" needs the security scheme "token"');
  });

  test("is listed in `missing`, and is an error at start without notImplemented", () => {
    expect(partly("501").missing).toEqual(["addBook"]);
    expect(bookshop().missing).toEqual([]);
    const undefinedOne = { listBooks, addBook: undefined };
    expect(bookshop({ notImplemented: "501" }, undefinedOne).missing).toEqual(["addBook"]);
    expect(() => bookshop({}, { listBooks })).toThrow('Operation "addBook" has no handler: add one to the handlers.');
  });

  test("does not hide a handler without an operation", () => {
    expect(() => bookshop({ notImplemented: "mock" }, { listBook: listBooks })).toThrow(
      'Handler "listBook" has no operation',
    );
  });
});

test.each([
  ["notImplemented", "503", '"503". It has to be "501", "mock" or "next".'],
  ["notImplemented", true, 'a boolean. It has to be "501", "mock" or "next".'],
  ["unknownPaths", "pass", '"pass". It has to be "reject" or "next".'],
])("the option %s cannot be %o", (option, value, message) => {
  expect(() => bookshop({ [option]: value })).toThrow(new TypeError(`The option ${option} is ${message}`));
});
