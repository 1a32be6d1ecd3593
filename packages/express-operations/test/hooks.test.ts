import { once } from "node:events";
import { connect } from "node:net";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { AsyncLocalStorage } from "node:async_hooks";
import express, { type RequestHandler } from "express";
import { describe, expect, test, vi } from "vitest";
import {
  file,
  type HandlerResponse,
  type Hook,
  implement,
  type OpenApiDocument,
  type ResponseFacts,
} from "../src/index.ts";
import { listen } from "./listen.ts";

const text = { type: "string" };
const json = { description: "", content: { "application/json": {} } };
const document = {
  openapi: "3.1.1",
  paths: {
    "/books/{bookId}": {
      parameters: [{ name: "bookId", in: "path", required: true, schema: { type: "integer" } }],
      get: { operationId: "getBook", tags: ["read"], responses: { 200: json } },
      put: {
        operationId: "putBook",
        tags: ["write"],
        security: [{ token: [] }],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { type: "object", properties: { title: text } } } },
        },
        responses: { 200: json, default: json },
      },
    },
    "/scan": { get: { operationId: "scan", responses: { 200: { description: "", content: { "text/plain": {} } } } } },
  },
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
} as OpenApiDocument;

interface Env {
  context: { db: string };
}
type Options = Parameters<ReturnType<typeof implement<Record<string, { responses: never }>, Env>>>[0];

const handlers = {
  getBook: ({ path, context }: { path: object; context: object }) => ({ status: 200, body: { path, context } }),
  putBook: ({ body, context, caller }: Record<string, unknown>) => ({ status: 200, body: { body, context, caller } }),
  scan: () => ({ status: 200, contentType: "text/plain", body: "scanned" }),
} as never;

/** Serves the document with the given options. */
async function serve(options: Partial<Options>, at = "/") {
  const security = { token: (given: string) => (given === "secret" ? { caller: "Ada" } : undefined) };
  const handler = implement<Record<string, { responses: never }>, Env>()({
    document,
    handlers,
    security,
    context: { db: "pool" },
    ...options,
  });
  const server = await listen(handler, at);
  const send = async (path: string, init?: RequestInit) => {
    const response = await fetch(server.baseUrl + path, init);
    const body = await response.text();
    return {
      status: response.status,
      body: response.headers.get("Content-Type")?.includes("json") ? JSON.parse(body) : body,
    };
  };
  return { ...server, send, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

const put = (body: unknown, token = "secret"): RequestInit => ({
  method: "PUT",
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
  body: JSON.stringify(body),
});

describe("around", () => {
  test("hooks run around handlers of all operations, of a tag and of an operation, the first one outermost", async () => {
    const calls: string[] = [];
    const named =
      (name: string): Hook<Env> =>
      async ({ operationId }, next) => {
        calls.push(`${name} > ${operationId}`);
        const response = await next();
        calls.push(`${name} < ${response.status}`);
        return response;
      };
    await using server = await serve({
      around: [
        named("all"),
        { tags: ["write"], around: named("write") },
        { operations: ["scan"], around: named("scan") },
      ],
    });
    await server.send("/books/1");
    expect(calls.splice(0)).toEqual(["all > getBook", "all < 200"]);
    await server.send("/books/1", put({}));
    expect(calls.splice(0)).toEqual(["all > putBook", "write > putBook", "write < 200", "all < 200"]);
    await server.send("/scan");
    expect(calls).toEqual(["all > scan", "scan > scan", "scan < 200", "all < 200"]);
  });

  test("a hook passes a transaction to the handler, and rolls back if the handler throws or the response is an error", async () => {
    const ends: string[] = [];
    const inTransaction: Hook<Env> = async (input, next) => {
      try {
        const response = await next({ context: { ...input.context, db: "transaction" } });
        ends.push(response.status < 400 ? "commit" : "rollback");
        return response;
      } catch (error) {
        ends.push("rollback");
        throw error;
      }
    };
    const failing = { ...(handlers as object), getBook: () => Promise.reject(new Error("broken")) } as never;
    await using server = await serve({ handlers: failing, around: inTransaction });
    expect(await server.send("/books/1", put({ title: "Emma" }))).toEqual({
      status: 200,
      body: { body: { title: "Emma" }, context: { db: "transaction" }, caller: "Ada" },
    });
    expect(await server.send("/books/1")).toMatchObject({ status: 500, body: { fault: "broken" } });
    expect(ends).toEqual(["commit", "rollback"]);
  });

  test("a hook runs only for valid requests, and can respond in place of the handler", async () => {
    const hook = vi.fn<Hook<Env>>(() => ({ status: 503, body: { off: true } }));
    await using server = await serve({ around: hook });
    expect(await server.send("/books/1", put({}, "wrong"))).toMatchObject({ status: 401 });
    expect(await server.send("/books/1", put({ title: 1 }))).toMatchObject({ status: 400 });
    expect(hook).not.toHaveBeenCalled();
    expect(await server.send("/books/1", put({}))).toEqual({ status: 503, body: { off: true } });
  });

  test("the handler runs in the asynchronous context of its hook", async () => {
    const spans = new AsyncLocalStorage<string>();
    const around: Hook<Env> = ({ operationId }, next) => spans.run(operationId, next);
    const traced = { ...(handlers as object), scan: async () => ({ status: 200, body: spans.getStore() }) } as never;
    await using server = await serve({ around, handlers: traced });
    expect(await server.send("/scan")).toMatchObject({ body: "scan" });
  });

  test("streams, files and handlers with options keep what they do", async () => {
    const seen: HandlerResponse[] = [];
    const around: Hook<Env> = async (_input, next) => {
      const response = await next();
      seen.push(response);
      return response;
    };
    let calls = 0;
    const versatile = {
      ...(handlers as object),
      scan: { isCacheable: true, handler: () => ({ status: 200, body: `call ${++calls}` }) },
      getBook: () => ({ status: 200, contentType: "application/json", body: file(import.meta.filename) }),
      putBook: {
        streamsBody: true,
        handler: async ({ body }: { body: Readable }) => ({ status: 200, body: await textOf(body) }),
      },
    } as never;
    await using server = await serve({ around, handlers: versatile, cache: { version: () => 1 } });
    expect(await server.send("/scan")).toMatchObject({ body: "call 1" });
    expect(await server.send("/scan")).toMatchObject({ body: "call 1" });
    expect(seen).toHaveLength(1);
    expect(await server.send("/books/1", put("streamed"))).toMatchObject({ status: 200, body: '"streamed"' });
    expect((await fetch(`${server.baseUrl}/books/1`)).headers.get("Content-Length")).not.toBeNull();
    expect(seen).toHaveLength(3);
  });

  test("a second call of next is an error that names the operation", async () => {
    const around: Hook<Env> = async (_input, next) => {
      await next();
      return next();
    };
    await using server = await serve({ around });
    expect((await server.send("/scan")).body).toMatchObject({ fault: expect.stringMatching(/around "scan".*twice/) });
  });

  test.each([
    [
      { around: [{ tags: ["change"], around: (_: unknown, next: () => never) => next() }] },
      /around names the tag change/,
    ],
    [{ around: [{ operations: ["x"], around: (_: unknown, next: () => never) => next() }] }, /names the operation x/],
    [{ around: [{ tags: ["read"] }] }, /around has to be a function/],
    [{ use: { nothing: [] } }, /use names the operation nothing/],
    [{ use: { scan: [1] } }, /use.scan has to be an Express middleware/],
    [{ onResponse: 1 }, /onResponse is a number/],
  ])("a mistake in the options is an error at start: %j", async (options, message) => {
    await expect(serve(options as never)).rejects.toThrow(message);
  });
});

describe("use", () => {
  test("Express middlewares of an operation run in order once its credentials are valid, and the handler gets the request", async () => {
    const order: string[] = [];
    const middleware =
      (name: string): RequestHandler =>
      async (request, _response, next) => {
        await Promise.resolve();
        order.push(name);
        Object.assign(request, { tenant: "shop" });
        next();
      };
    const tenant = {
      ...(handlers as object),
      putBook: ({ request }: { request: { tenant: string } }) => ({ status: 200, body: request.tenant }),
    } as never;
    await using server = await serve({
      handlers: tenant,
      use: { putBook: [middleware("first"), middleware("second")] },
    });
    expect(await server.send("/books/1", put({}, "wrong"))).toMatchObject({ status: 401 });
    await server.send("/scan");
    expect(order).toEqual([]);
    expect(await server.send("/books/1", put({}))).toEqual({ status: 200, body: "shop" });
    expect(order).toEqual(["first", "second"]);
  });

  test.each<[string, RequestHandler, object]>([
    [
      "responds itself",
      (_request, response) => void response.status(429).json({ slow: true }),
      { status: 429, body: { slow: true } },
    ],
    [
      "passes on an error",
      (_request, _response, next) => next(new Error("no")),
      { status: 500, body: { fault: "no" } },
    ],
    [
      "throws",
      () => {
        throw new Error("thrown");
      },
      { status: 500, body: { fault: "thrown" } },
    ],
    ["rejects", () => Promise.reject(new Error("late")), { status: 500, body: { fault: "late" } }],
  ])("a middleware that %s ends the request", async (_title, middleware, expected) => {
    await using server = await serve({ use: { scan: middleware } });
    expect(await server.send("/scan")).toEqual(expected);
  });
});

describe("the request of Express", () => {
  test("request.route.path is the path template, for middlewares and handlers", async () => {
    const routes: unknown[] = [];
    const around: Hook<Env> = ({ request, response }, next) => {
      routes.push([request.baseUrl, request.route.path, response.req === request]);
      return next();
    };
    const noticed: unknown[] = [];
    const app = express();
    app.use((request, response, next) => {
      response.once("finish", () => noticed.push(request.route.path));
      next();
    });
    await using server = await serve({ around }, "/v1");
    await server.send("/books/1");
    expect(routes).toEqual([["/v1", "/books/{bookId}", true]]);
    app.use(implement()({ document, handlers, security: { token: () => undefined }, context: { db: "" } }));
    await using other = await listen(app);
    await fetch(`${other.baseUrl}/books/2`);
    await expect.poll(() => noticed).toEqual(["/books/{bookId}"]);
  });
});

describe("onResponse", () => {
  test("gets status, operation, path, duration and bytes of each response, errors among them", async () => {
    const facts: ResponseFacts[] = [];
    await using server = await serve({ onResponse: (each) => void facts.push(each) }, "/v1");
    for (const path of ["/books/1", "/books/x", "/none"]) await server.send(path);
    await server.send("/scan", { method: "DELETE" });
    await expect
      .poll(() =>
        facts.map(({ operationId, method, path, status, isComplete }) => [
          operationId,
          method,
          path,
          status,
          isComplete,
        ]),
      )
      .toEqual([
        ["getBook", "GET", "/books/{bookId}", 200, true],
        ["getBook", "GET", "/books/{bookId}", 400, true],
        [undefined, "GET", undefined, 404, true],
        [undefined, "DELETE", "/scan", 405, true],
      ]);
    for (const { bytes, duration } of facts) {
      expect(bytes).toBeGreaterThan(100);
      expect(bytes).toBeLessThan(1_000);
      expect(duration).toBeGreaterThan(0);
    }
  });

  test("tells that the client has gone, and that Express's error handler has responded", async () => {
    const { promise: called, resolve: call } = Promise.withResolvers<void>();
    const facts: ResponseFacts[] = [];
    const slow = {
      ...(handlers as object),
      scan: () => {
        call();
        return new Promise(() => {});
      },
      getBook: () => Promise.reject(new Error("broken")),
    } as never;
    await using server = await serve({ handlers: slow, onResponse: (each) => void facts.push(each) });
    await server.send("/books/1");
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write("GET /scan HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await called;
    socket.destroy();
    await expect
      .poll(() => facts.map(({ operationId, status, isComplete }) => [operationId, status, isComplete]))
      .toEqual([
        ["getBook", 500, true],
        ["scan", 200, false],
      ]);
  });

  test("requests that are passed on are not reported, and its error is a warning", async () => {
    const warned = once(process, "warning");
    const onResponse = vi.fn<() => void>(() => {
      throw new Error("no metrics");
    });
    await using server = await serve({ unknownPaths: "next", onResponse });
    expect(await server.send("/none")).toMatchObject({ status: 404 });
    expect(await server.send("/scan")).toMatchObject({ status: 200 });
    expect((await warned)[0]).toMatchObject({ message: "no metrics" });
    expect(onResponse).toHaveBeenCalledOnce();
  });
});
