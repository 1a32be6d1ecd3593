import createClient, { type Middleware, wrapAsPathBasedClient } from "openapi-fetch";
import { describe, expect, test } from "vitest";
import { apiKey, authenticate, bearer } from "fetch-operations/parts/authentication";
import { reportDeprecations } from "fetch-operations/parts/deprecation";
import { idempotencyKey } from "fetch-operations/parts/idempotency-key";
import { JsonError, parseJson } from "fetch-operations/parts/json";
import { logRequests } from "fetch-operations/parts/log";
import { clientCredentials } from "fetch-operations/parts/oauth2";
import { retry } from "fetch-operations/parts/retry";
import { jsonParameter, pathSerializer, querySerializer, styled } from "fetch-operations/parts/serializers";
import { sizeLimit } from "fetch-operations/parts/size-limit";
import { timeLimit } from "fetch-operations/parts/time-limit";
import { createLibrary } from "./library/src/generated/index.ts";
import { inTurn, rejection, respond, serve, serveForms } from "./shop.ts";

interface Book {
  id: number;
}
type Responses = { 200: { content: { "application/json": Book } } };
interface paths {
  "/books/{id}": {
    get: {
      parameters: { path: { id: number | number[] }; query?: { tags?: string[]; filter?: object } };
      responses: Responses;
    };
    post: {
      parameters: { path: { id: number } };
      requestBody: { content: { "application/json": Book } };
      responses: Responses;
    };
  };
}

/** Starts a server, and calls it by a plain client of openapi-fetch. */
async function plain(fetch: (request: Request) => Promise<Response>, ...listeners: Parameters<typeof inTurn>) {
  const requests: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
  const answer = inTurn(...listeners);
  const server = await serve((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      requests.push({ method: request.method!, url: request.url!, headers: request.headers, body });
      answer(request, response);
    });
  });
  const client = createClient<paths>({ baseUrl: server.baseUrl, fetch });
  const get = () => client.GET("/books/{id}", { params: { path: { id: 1 } } });
  const post = () => client.POST("/books/{id}", { params: { path: { id: 1 } }, body: { id: 1 } });
  return { ...server, client, requests, get, post };
}

const ok = respond(200, '{"id":1}');
const busy = respond(503, '{"code":"busy"}');

describe("a part works with a plain client of openapi-fetch:", () => {
  test("retry repeats what is idempotent, or has an idempotency key, with its body", async () => {
    const wait = { baseDelay: 1 };
    await using server = await plain(retry(fetch, wait), busy, ok, busy, ok);
    expect((await server.get()).data).toEqual({ id: 1 });
    expect((await server.post()).response.status).toBe(503);
    await using safe = await plain(idempotencyKey(retry(fetch, wait)), busy, ok);
    expect((await safe.post()).data).toEqual({ id: 1 });
    const [first, second] = safe.requests;
    expect(first!.body).toBe('{"id":1}');
    expect(second).toMatchObject({
      body: first!.body,
      headers: { "idempotency-key": first!.headers["idempotency-key"] },
    });
  });

  test("timeLimit and sizeLimit end a request by name of their error", async () => {
    await using slow = await plain(timeLimit(fetch, 50), () => {});
    expect(await rejection(slow.get())).toMatchObject({ name: "TimeoutError" });
    await using large = await plain(sizeLimit(fetch, 5), ok);
    expect(await rejection(large.get())).toMatchObject({
      name: "TooLargeError",
      message: "The body is larger than 5 bytes.",
    });
    await using cut = await plain(
      retry(sizeLimit(fetch), { baseDelay: 1 }),
      (_request, response) => {
        response.writeHead(200, { "Content-Length": 100 }).write("[", () => response.destroy());
      },
      ok,
    );
    expect((await cut.get()).data).toEqual({ id: 1 });
  });

  test("authenticate adds credentials, and asks for another one after a 401", async () => {
    await using login = await serveForms(() => '{"access_token":"t"}');
    const oauth = clientCredentials({ tokenUrl: login.baseUrl, clientId: "a", clientSecret: "b" });
    const credentials = [
      [bearer(), oauth],
      [apiKey("query", "key"), "k"],
    ] as const;
    await using server = await plain(authenticate(fetch, credentials), respond(401, "{}"), ok);
    const { response, data } = await server.post();
    expect(data).toEqual({ id: 1 });
    expect(response.url).not.toContain("key=k");
    expect(server.requests.map(({ url, headers, body }) => [url, headers["authorization"], body])).toEqual(
      [1, 2].map(() => ["/books/1?key=k", "Bearer t", '{"id":1}']),
    );
    expect(login.received).toHaveLength(2);
  });

  test("even around a function that takes a request alone", async () => {
    const alone = (request: Request) => fetch(request);
    const wrapped = timeLimit(authenticate(idempotencyKey(alone), [[bearer(), "t"]]), 5_000);
    await using server = await plain(wrapped, ok);
    await server.post();
    const key = expect.any(String) as string;
    expect(server.requests[0]!.headers).toMatchObject({ authorization: "Bearer t", "idempotency-key": key });
  });

  test("logRequests and reportDeprecations", async () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line.replace(/\d+ ms/, "n ms"));
    const logged = logRequests(fetch, { debug: write, info: write, warn: write }, { level: "debug" });
    const reported: string[] = [];
    const part = reportDeprecations(logged, ({ operationId }) => reported.push(operationId));
    await using server = await plain(part, respond(200, '{"id":1}', undefined, { Deprecation: "@1767225600" }));
    await server.get();
    await server.get();
    expect(lines).toEqual([1, 2].map(() => `GET ${server.baseUrl}/books/1 200 n ms (attempt 1)`));
    expect(reported).toEqual(["GET /books/1"]);
  });

  test("the serializers write the styles that openapi-fetch lacks", async () => {
    await using server = await plain(fetch, ok);
    await server.client.GET("/books/{id}", {
      params: { path: { id: [1, 2] }, query: { tags: ["a", "b"], filter: { a: 1 } } },
      pathSerializer: pathSerializer({ id: styled("matrix", false) }),
      querySerializer: querySerializer({ tags: styled("pipeDelimited", false), filter: jsonParameter("query") }),
    });
    expect(server.requests[0]!.url).toBe("/books/;id=1,2?tags=a|b&filter=%7B%22a%22%3A1%7D");
  });

  test("parseJson refuses an integer that a number would round", async () => {
    await using server = await plain(fetch, respond(200, '{"id":9007199254740993}'));
    const { data } = await server.client.GET("/books/{id}", { params: { path: { id: 1 } }, parseAs: "text" });
    const message = "The text has the integer 9007199254740993, which a JavaScript number would round.";
    expect(() => parseJson(data!)).toThrow(expect.objectContaining({ constructor: JsonError, message }));
  });
});

describe("a generated client is one of openapi-fetch:", () => {
  const library = async (...listeners: Parameters<typeof inTurn>) => {
    const server = await serve(inTurn(...listeners));
    const client = createLibrary({ baseUrl: server.baseUrl, token: "t", onDeprecated: false, retry: { baseDelay: 1 } });
    return { ...server, client };
  };
  const book = respond(200, '{"id":1,"title":"Emma"}');
  const lost = respond(404, '{"reason":"not_found","text":"It is lost."}');
  const one = { params: { path: { id: 1n } } };

  test("its methods resolve to data, error and response, and its parts work", async () => {
    await using server = await library(busy, book, lost);
    const { data, error, response } = await server.client.GET("/books/{id}", one);
    expect([data, error, response.status]).toEqual([{ id: 1n, title: "Emma" }, undefined, 200]);
    const failed = await server.client.GET("/books/{id}", one);
    expect([failed.data, failed.error]).toEqual([undefined, { reason: "not_found", text: "It is lost." }]);
  });

  test("a middleware sees the request and the true response of both kinds of calls, and may replace both", async () => {
    await using server = await library((request, response) => {
      respond(200, JSON.stringify({ id: 1, title: request.headers["x-shelf"] }))(request, response) as unknown;
    });
    const seen: unknown[] = [];
    const middleware: Middleware = {
      onRequest({ request, schemaPath }) {
        request.headers.set("X-Shelf", schemaPath);
        return request;
      },
      async onResponse({ request, response }) {
        const { url, status, headers } = response;
        seen.push([request.method, url, status, headers.get("Content-Type"), await response.clone().json()]);
        return new Response(response.body, {
          status: 200,
          headers: { "Content-Type": "application/json", "X-Seen": "1" },
        });
      },
    };
    server.client.use(middleware);
    const byName = await server.client.getBook({ id: 1n });
    const byPath = await server.client.GET("/books/{id}", one);
    const body = { id: 1, title: "/books/{id}" };
    expect([byName.data, byPath.data]).toEqual([1, 2].map(() => ({ ...body, id: 1n })));
    expect([byName.response!.headers.get("X-Seen"), byPath.response.headers.get("X-Seen")]).toEqual(["1", "1"]);
    const facts = ["GET", `${server.baseUrl}/books/1`, 200, "application/json", body];
    expect(seen).toEqual([facts, facts]);
    server.client.eject(middleware);
    expect((await server.client.getBook({ id: 1n })).response!.headers.has("X-Seen")).toBe(false);
  });

  test("a middleware may answer itself, throw on errors, and handle a failed connection", async () => {
    await using server = await library(lost);
    const cached: Middleware = { onRequest: () => Response.json({ id: 2, title: "cached" }) };
    server.client.use(cached);
    expect(await server.client.getBook({ id: 1n }).orThrow()).toEqual({ id: 2n, title: "cached" });
    server.client.eject(cached);
    const throwing: Middleware = {
      onResponse({ response }) {
        if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
      },
    };
    server.client.use(throwing);
    await expect(server.client.getBook({ id: 1n })).rejects.toThrow(`${server.baseUrl}/books/1: 404`);
    await expect(server.client.GET("/books/{id}", one)).rejects.toThrow("404");
    server.client.eject(throwing);
    const offline = createLibrary({ baseUrl: "http://127.0.0.1:1", token: "t", retry: false });
    offline.use({ onError: () => Response.json({ id: 3, title: "offline" }) });
    expect(await offline.getBook({ id: 1n }).orThrow()).toEqual({ id: 3n, title: "offline" });
  });

  test("parseAs, and the client by paths", async () => {
    await using server = await library(book);
    const { data } = await server.client.GET("/books/{id}", { ...one, parseAs: "text" });
    expect(data).toBe('{"id":1,"title":"Emma"}');
    const stream = await server.client.GET("/books/{id}", { ...one, parseAs: "stream" });
    expect(await new Response(stream.data).json()).toEqual({ id: 1, title: "Emma" });
    const byPath = wrapAsPathBasedClient(server.client);
    expect((await byPath["/books/{id}"].GET(one)).data).toEqual({ id: 1n, title: "Emma" });
  });
});
