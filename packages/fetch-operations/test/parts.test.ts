import { QueryClient, QueryObserver } from "@tanstack/react-query";
import createClient, { type Middleware, wrapAsPathBasedClient } from "openapi-fetch";
import createQueries from "openapi-react-query";
import { describe, expect, onTestFinished, test } from "vitest";
import { apiKey, authenticate, bearer } from "fetch-operations/parts/authentication";
import { reportDeprecations } from "fetch-operations/parts/deprecation";
import { idempotencyKey } from "fetch-operations/parts/idempotency-key";
import { JsonError, parseJson } from "fetch-operations/parts/json";
import { logRequests } from "fetch-operations/parts/log";
import { clientCredentials } from "fetch-operations/parts/oauth2";
import { retry } from "fetch-operations/parts/retry";
import { jsonParameter, pathSerializer, querySerializer, styled } from "fetch-operations/parts/serializers";
import { sizeLimit } from "fetch-operations/parts/size-limit";
import { idleLimit, timeLimit } from "fetch-operations/parts/time-limit";
import { type UploadProgress, uploadProgress } from "fetch-operations/parts/upload-progress";
import { createLibrary } from "./library/src/generated/index.ts";
import { connectTo, writeRaw } from "../src/index.ts";
import { api, callsOf, inTurn, read, rejection, respond, serve, serveForms } from "./shop.ts";

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

function fail(isFailing: boolean, reason: unknown): void {
  if (isFailing) throw reason;
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

  test("a setting of retry that is undefined has its default", async () => {
    const names = ["limit", "baseDelay", "timeout", "budget", "isRepeatable", "isTransient", "onRetry"];
    const settings = Object.fromEntries(names.map((name) => [name, undefined])) as object;
    await using server = await plain(retry(fetch, settings), busy, ok);
    expect((await server.get()).data).toEqual({ id: 1 });
  });

  test("idleLimit ends a response that stops, whatever reads it", async () => {
    await using server = await plain(
      idleLimit(fetch, 50),
      (_request, response) => void response.writeHead(200).write("["),
    );
    expect(await rejection(server.get())).toMatchObject({ name: "TimeoutError" });
    const { data } = await server.client.GET("/books/{id}", { params: { path: { id: 1 } }, parseAs: "stream" });
    expect(await rejection(new Response(data).text())).toMatchObject({ name: "TimeoutError" });
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

  test("uploadProgress reports what each attempt has sent, with the total of Content-Length", async () => {
    const events: UploadProgress[] = [];
    const reported = authenticate(
      uploadProgress(fetch, (progress) => void events.push(progress)),
      [[bearer(), "t"]],
    );
    await using server = await plain(idempotencyKey(retry(timeLimit(reported, 5_000), { baseDelay: 1 })), busy, ok);
    const params = { path: { id: 1 } };
    const body = { id: "x".repeat(100_000) as never };
    const length = JSON.stringify(body).length;
    const headers = { "Content-Length": String(length) };
    expect((await server.client.POST("/books/{id}", { params, body, headers })).data).toEqual({ id: 1 });
    const attempt = [65_536, length].map((loaded) => ({ loaded, total: length }));
    expect(events.splice(0)).toEqual([...attempt, ...attempt]);
    await server.client.POST("/books/{id}", { params, body });
    expect(events.at(-1)).toEqual({ loaded: length, total: undefined });
    const sent = server.requests.map((request) => [request.headers["content-length"], request.body.length]);
    expect(sent).toEqual([
      [String(length), length],
      [String(length), length],
      [undefined, length],
    ]);
  });

  test("uploadProgress keeps the Content-Type of a body in init", async () => {
    await using server = await serveForms(() => "{}");
    const body = new FormData();
    body.set("a", "b");
    await uploadProgress(fetch, () => {})(new Request(server.baseUrl, { method: "POST" }), { body });
    expect(server.received).toEqual([
      expect.arrayContaining([expect.stringMatching(/^multipart.form-data; boundary=/)]),
    ]);
  });

  test("uploadProgress rejects with the error of onProgress, once, and ends the body", async () => {
    await using server = await serve((request, response) => void request.resume().on("end", () => response.end()));
    const own = new Error("no progress");
    let calls = 0;
    const reported = uploadProgress(fetch, () => {
      calls++;
      throw own;
    });
    const cancelled = Promise.withResolvers<unknown>();
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: cancelled.resolve,
    });
    const request = new Request(server.baseUrl, { method: "POST" });
    expect(await rejection(reported(request, { body, duplex: "half" } as RequestInit))).toBe(own);
    expect(await cancelled.promise).toBe(own);
    const put = new Request(server.baseUrl, { method: "PUT", body: "a" });
    expect(await rejection(retry(reported, { baseDelay: 1 })(put))).toBe(own);
    expect(calls).toBe(2);
    const client = createLibrary({ baseUrl: server.baseUrl, token: "t", fetch: reported, retry: { baseDelay: 1 } });
    await expect(client.POST("/books", { body: { title: "Emma" } } as never)).rejects.toBe(own);
    expect(calls).toBe(3);
  });

  test.each<[title: string, onProgress: (progress: UploadProgress) => unknown, path: string, error: object]>([
    ["of a promise", () => Promise.reject(new Error("own")), "/", { message: "own" }],
    ["of later bytes", ({ loaded }) => fail(loaded > 150_000, new Error("own")), "/", { message: "own" }],
    [
      "after the response has begun",
      ({ loaded }) => fail(loaded > 9_000_000, new Error("own")),
      "/early",
      { message: "own" },
    ],
    ["that is no Error", () => fail(true, "text"), "/", { message: "onProgress threw no Error.", cause: "text" }],
  ])("a call rejects with an error of onProgress %s, once and without a retry", async (_, onProgress, path, error) => {
    await using server = await serve((request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      if (request.url === "/early") response.flushHeaders();
      request.on("error", () => {}).resume();
      request.on("end", () => response.end("{}"));
    });
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    let attempts = 0;
    const counted = (request: Request, init?: RequestInit) => {
      attempts++;
      return fetch(request, init);
    };
    let thrown = 0;
    const reported = uploadProgress(counted, (progress) => {
      try {
        const result = onProgress(progress);
        if (result instanceof Promise) thrown++;
        return result;
      } catch (reason) {
        thrown++;
        throw reason;
      }
    });
    const connection = connectTo(api, { baseUrl: server.baseUrl, fetch: reported, retry: { baseDelay: 1 } });
    const put = { ...read, method: "PUT", path, parameters: { body: "body" as const }, write: writeRaw };
    const upload = callsOf(connection)(put, { body: new Blob(["x".repeat(10_000_000)]) });
    expect(await rejection(upload)).toMatchObject(error);
    await new Promise(setImmediate);
    expect([attempts, thrown, unhandled]).toEqual([1, 1, []]);
  });

  test("uploadProgress fails a response with the error of onProgress, though its connection goes on", async () => {
    const own = new Error("own");
    const early = async (_request: Request, init?: RequestInit) => {
      const end = new Response(init?.body).text().catch(() => {});
      return new Response(new ReadableStream({ pull: (controller) => end.then(() => controller.close()) }));
    };
    const reported = uploadProgress(early, () => Promise.reject(own));
    const response = await reported(new Request("http://x.test", { method: "POST", body: "a" }));
    expect(await rejection(response.text())).toBe(own);
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

  test("a middleware may authenticate some paths, and renew its token", async () => {
    const authorized: string[] = [];
    await using server = await library((request, response) => {
      const { authorization = "none" } = request.headers;
      authorized.push(`${request.url} ${authorization}`);
      (authorization === "Bearer expired" ? respond(401, "{}") : book)(request, response);
    });
    const open = createLibrary({ baseUrl: server.baseUrl, token: "t", onDeprecated: false });
    let token = "expired";
    const authentication: Middleware = {
      onRequest({ request, schemaPath }) {
        if (schemaPath === "/books") return undefined;
        request.headers.set("Authorization", `Bearer ${token}`);
        return request;
      },
      async onResponse({ request, response }) {
        if (response.status !== 401) return undefined;
        token = "renewed";
        return fetch(request.url, { headers: { Authorization: `Bearer ${token}` } });
      },
    };
    open.use(authentication);
    expect((await open.getBook({ id: 1n })).data).toEqual({ id: 1n, title: "Emma" });
    expect((await open.GET("/books/{id}", one)).data).toEqual({ id: 1n, title: "Emma" });
    await open.GET("/books", {});
    expect(authorized).toEqual([
      "/books/1 Bearer expired",
      "/books/1 Bearer renewed",
      "/books/1 Bearer renewed",
      "/books Bearer t",
    ]);
  });

  test("openapi-react-query reads and writes by it", async () => {
    await using server = await library(book, lost, book);
    const queries = createQueries(server.client);
    // TanStack Query's own function knows no bigint.
    const queryKeyHashFn = (key: unknown) =>
      JSON.stringify(key, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    const cache = new QueryClient({ defaultOptions: { queries: { retry: false, queryKeyHashFn } } });
    const query = queries.queryOptions("get", "/books/{id}", one);
    expect(query.queryKey).toEqual(["get", "/books/{id}", one]);
    const data = await cache.fetchQuery(query);
    expect(data satisfies { title: string }).toEqual({ id: 1n, title: "Emma" });
    const failed = cache.fetchQuery(queries.queryOptions("get", "/books/{id}", { params: { path: { id: 2n } } }));
    await expect(failed).rejects.toEqual({ reason: "not_found", text: "It is lost." });
    const observer = new QueryObserver(
      cache,
      queries.queryOptions("get", "/books/{id}", { params: { path: { id: 3n } } }),
    );
    onTestFinished(observer.subscribe(() => {}));
    await expect.poll(() => observer.getCurrentResult().data).toEqual({ id: 1n, title: "Emma" });
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
