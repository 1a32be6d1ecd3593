import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { implement, nodeHandler } from "../src/index.ts";

const text = { "text/plain": { schema: { type: "string" } } };
const json = { "application/json": { schema: { type: "object" } } };
const problem = { "application/problem+json": { schema: { type: "object" } } };
const parameters = [{ name: "bookId", in: "path", required: true, schema: { type: "integer" } }];
const document = {
  openapi: "3.1.0",
  info: { title: "", version: "" },
  paths: {
    "/books/{bookId}": {
      parameters,
      get: { operationId: "getBook", responses: { 200: { content: json }, default: { content: problem } } },
      put: {
        operationId: "putBook",
        requestBody: { required: true, content: json },
        responses: { 200: { content: json }, default: { content: problem } },
      },
    },
    "/lines": { get: { operationId: "getLines", responses: { 200: { content: text } } } },
  },
};

const handlers: object = {
  getBook: ({ path, query, requestPath }: { path: { bookId: number }; query: object; requestPath: string }) => {
    if (path.bookId === 0) throw new Error("a secret of the service");
    return { status: 200, body: { ...path, ...query, requestPath } };
  },
  putBook: ({ body }: { body: object }) => ({ status: 200, body }),
  getLines: () => ({
    status: 200,
    body: (async function* () {
      yield "one\n";
      yield "two\n";
    })(),
  }),
};
const bookshop = implement()({ document, handlers });

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("node:http alone serves parameters, bodies, streams and errors below the base path", async () => {
  const errors: unknown[] = [];
  const listener = nodeHandler(bookshop, { basePath: "/v1", onError: (error) => errors.push(error) });
  const origin = await listen(listener);
  const found = await fetch(`${origin}/v1/books/7`);
  expect([found.status, await found.json()]).toEqual([200, { bookId: 7, requestPath: "/v1/books/7" }]);
  const headers = { "Content-Type": "application/json" };
  const put = await fetch(`${origin}/v1/books/7`, { method: "PUT", headers, body: '{"title":"Emma"}' });
  expect(await put.json()).toEqual({ title: "Emma" });
  expect(await (await fetch(`${origin}/v1/lines`)).text()).toBe("one\ntwo\n");
  for (const path of ["/v1", "/v10/lines", "/lines", "/v1/lines/"]) {
    const response = await fetch(origin + path);
    expect([path, response.status]).toEqual([path, 404]);
  }
  const refused = await fetch(`${origin}/v1/books/Emma`);
  expect([refused.status, await refused.json()]).toMatchObject([400, { code: "invalid_request" }]);
  expect(errors).toEqual([]);

  const failed = await fetch(`${origin}/v1/books/0`);
  expect(failed.headers.get("Content-Type")).toBe("application/problem+json");
  expect([failed.status, await failed.json()]).toEqual([
    500,
    {
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      code: "internal_error",
      detail: "The request failed because of an error in the service.",
    },
  ]);
  expect(errors).toMatchObject([{ message: "a secret of the service" }]);
});

test("node:http alone responds with 404 to a request that the implementation passes on", async () => {
  const origin = await listen(nodeHandler(implement()({ document, handlers, unknownPaths: "next" })));
  const response = await fetch(`${origin}/none`);
  expect([response.status, await response.json()]).toMatchObject([404, { code: "not_found" }]);
});

test("node:http alone serves the paths of the document without a base path", async () => {
  const origin = await listen(nodeHandler(bookshop));
  expect(await (await fetch(`${origin}/books/7`)).json()).toEqual({ bookId: 7, requestPath: "/books/7" });
});

test("a connection is closed if the format of problems fails too", async () => {
  const fails = () => {
    throw new Error("no format");
  };
  const errors: unknown[] = [];
  const origin = await listen(
    nodeHandler(implement()({ document, handlers, problemFormat: fails }), { onError: (error) => errors.push(error) }),
  );
  await expect(fetch(`${origin}/books/Emma`)).rejects.toThrow("fetch failed");
  expect(errors).toMatchObject([{ message: "no format" }]);
});

test("a base path with a slash at its end is refused at start", () => {
  expect(() => nodeHandler(bookshop, { basePath: "/v1/" })).toThrow('The option basePath is "/v1/".');
});
