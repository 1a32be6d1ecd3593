import { getEventListeners } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import { setFlagsFromString } from "node:v8";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { bodyTypes, call, type CallOptions, createClient, raw, readEvents, writeJson, writeRaw } from "../src/index.ts";
import type { OperationDescription } from "../src/operation.ts";
import { authenticate, TokenError } from "../src/parts/authentication.ts";
import { clientCredentials } from "../src/parts/oauth2.ts";
import type { AnyResult } from "./generated-client.ts";
import { api, inTurn, read, rejection, respond, serve, shop } from "./shop.ts";

const refused = respond(503, '{"code":"busy","message":"Later."}');
const ok = respond(200, "1");
const SECRET = 's3/cr+t"=';

/** Starts a server that keeps its requests, and a client of one operation. */
async function clientOf(operation: Partial<OperationDescription>, listener: RequestListener, options: object = {}) {
  const requests: { request: IncomingMessage; body: string }[] = [];
  const server = await serve((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      requests.push({ request, body });
      listener(request, response);
    });
  });
  const operations = { own: { ...read, ...operation } };
  const settings = { baseUrl: server.baseUrl, retry: { baseDelay: 1 }, onDeprecated: false as const, ...options };
  const { client, connection } = createClient(api, operations, settings);
  type Client = {
    request: (method: string, path: string, init?: object) => Promise<{ data?: unknown; response: Response }>;
    own: (input?: object, options?: CallOptions) => ReturnType<typeof call<unknown[], AnyResult>>;
    use: (...middlewares: object[]) => void;
  };
  const { method, path } = operations.own;
  const byPath = (init?: object) => (client as Client).request(method, path, init);
  return { ...server, ...(client as Client), connection, operation: operations.own, byPath, requests };
}

describe("the headers of a call", () => {
  const post = { method: "POST", idempotencyKey: "Idempotency-Key", parameters: { body: "body" } } as const;
  const sentBy = (requests: { request: IncomingMessage }[]) =>
    requests.map(({ request: { headers } }) => [headers["idempotency-key"], headers["content-type"]]);

  test("replace those of the client in any case of letters", async () => {
    await using server = await clientOf(post, ok);
    const headers = { "idempotency-key": "mine", "content-type": "application/merge-patch+json" };
    await server.own({ body: [] }, { headers });
    await server.byPath({ body: [], headers });
    await server.byPath({ body: [], headers: new Headers(headers) });
    expect(sentBy(server.requests)).toEqual([1, 2, 3].map(() => Object.values(headers)));
  });

  test.each([undefined, null])("that are %s do not stand for a key that makes a repeat safe", async (value) => {
    await using server = await clientOf(post, refused);
    const headers = { "Idempotency-Key": value } as never;
    expect((await server.own({ body: [] }, { headers })).status).toBe(503);
    expect((await server.byPath({ body: [], headers })).response.status).toBe(503);
    const keys = sentBy(server.requests).map(([key]) => key);
    // Undefined is no header, so that the client's key stays, and null removes it.
    expect(keys).toHaveLength(value === null ? 2 : 8);
    expect(keys.includes(undefined)).toBe(value === null);
  });
});

describe("a stream by path", () => {
  const events: RequestListener = (request, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" }).write("retry: 1\nid: 1\ndata: 1\n\n");
    if (request.headers["last-event-id"] === undefined) setTimeout(() => response.destroy(), 20);
  };
  const operation = { read: readEvents, streams: true as const };

  test("ends with its signal, and resumes with the headers of its call", async () => {
    await using server = await clientOf(operation, events);
    const controller = new AbortController();
    const init = { signal: controller.signal, headers: { "X-Tenant": "t" } };
    const stream = (await server.byPath(init)).data as AsyncGenerator<object>;
    for (let count = 0; count < 2; count++) await stream.next();
    expect(server.requests.map(({ request }) => request.headers["x-tenant"])).toEqual(["t", "t"]);
    controller.abort();
    expect(await rejection(stream.next())).toMatchObject({ code: "aborted" });
    expect(server.requests).toHaveLength(2);
  });

  test("ends with its signal after a garbage collection, and leaves no listener behind", async () => {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as () => void;
    await using server = await clientOf(operation, (_request, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" }).write("data: 1\n\n");
    });
    const controller = new AbortController();
    const { signal } = controller;
    const response = await raw(server.connection, server.operation as never, {}, { signal });
    const reader = response.body!.getReader();
    await reader.read();
    gc();
    expect(getEventListeners(signal, "abort")).toEqual([]);
    controller.abort(new Error("enough"));
    await expect(reader.read()).rejects.toThrow("enough");
  });
});

test("a success that the contract does not declare is bounded for streams and raw calls too", async () => {
  await using server = await clientOf(
    { read: readEvents, streams: true },
    (_request, response) => {
      response.writeHead(202, { "Content-Type": "text/event-stream" });
      const write = () => void (response.write("x".repeat(1_000)) && !response.destroyed && setImmediate(write));
      write();
      response.on("drain", write);
    },
    { maxResponseBytes: 10_000 },
  );
  expect((await server.own()).error).toMatchObject({ code: "response_too_large" });
  const connected = raw(server.connection, server.operation as never);
  expect(await rejection(connected)).toMatchObject({ code: "response_too_large" });
});

describe("credentials", () => {
  const secured = { security: [["header"]] };
  const queried = { security: [["query"]] };
  const credentials = { header: "s3cr3t", query: "s3cr3t" };

  test.each<[listener: RequestListener, operation: object]>([
    [(request, response) => response.writeHead(302, { Location: request.url! }).end(), queried],
    [respond(400, '{"code":"c","message":"bad s3cr3t"}'), secured],
    [respond(500, "s3cr3t", "text/plain"), { ...secured, errors: [] }],
    [respond(200, "s3cr3t"), secured],
  ])("are in no error: %#", async (listener, operation) => {
    await using server = await clientOf(operation, listener, { credentials, retry: false });
    const thrown = await rejection(server.own().orThrow());
    expect(inspect(thrown, { depth: 5 })).not.toContain("s3cr3t");
    const byPath = await server.byPath().catch((error: unknown) => error);
    expect(inspect(byPath instanceof Error && byPath, { depth: 5 })).not.toContain("s3cr3t");
  });

  test("that JSON escapes are masked in the beginning of a body", async () => {
    const user = { username: "u", password: SECRET };
    const page = respond(500, JSON.stringify({ sent: SECRET }), "text/plain");
    await using server = await clientOf({ security: [["user"]], errors: [] }, page, {
      credentials: { user },
      retry: false,
    });
    expect(inspect((await server.own()).error)).not.toContain("cr+t");
  });

  test("are in no message or body of an undeclared error", async () => {
    const page = respond(500, '{"code":"c","message":"bad s3cr3t"}');
    await using server = await clientOf({ ...secured, errors: [] }, page, { credentials, retry: false });
    const shown = { message: "bad [credential]" };
    expect((await server.own()).error).toMatchObject({ ...shown, body: shown });
  });

  test("in the query are not in the URL of a response or its clone", async () => {
    const urls: string[] = [];
    const onResponse = ({ response }: { response: Response }) => void urls.push(response.url, response.clone().url);
    await using server = await clientOf(queried, ok, { credentials, onResponse });
    const response = await raw(server.connection, server.operation as never);
    urls.push(response.url, response.clone().url, (await server.own()).response.url);
    expect(new Set(urls)).toEqual(new Set([`${server.baseUrl}/a`]));
  });

  test("in the query leave a body its length", async () => {
    const post = { ...queried, method: "POST", parameters: { body: "body" as const } };
    await using server = await clientOf(post, ok, { credentials });
    await server.own({ body: { a: 1 } });
    const [{ request, body }] = server.requests as [(typeof server.requests)[0]];
    expect([request.headers["content-length"], body]).toEqual(["7", '{"a":1}']);
  });

  test("stay at the origin of baseUrl, whatever a middleware sends", async () => {
    await using other = await clientOf({}, ok);
    const listener: RequestListener = (_request, response) =>
      response.writeHead(302, { Location: other.baseUrl }).end();
    await using server = await clientOf(secured, listener, { credentials, retry: false });
    server.use({
      onRequest: ({ request }: { request: Request }) => new Request(request.url, { headers: request.headers }),
    });
    expect((await server.own()).error).toMatchObject({ httpStatus: 302 });
    expect(other.requests).toEqual([]);
    server.use({ onRequest: () => new Request(`${other.baseUrl}/a`) });
    await server.own();
    expect(other.requests[0]!.request.headers["x-key"]).toBeUndefined();
  });

  test("that a late 401 rejects do not end a newer token", async () => {
    let count = 0;
    const fetchToken = async () => Response.json({ access_token: `t${++count}` });
    const token = clientCredentials({
      tokenUrl: "https://login.test",
      clientId: "a",
      clientSecret: "b",
      fetch: fetchToken,
    });
    const { signal } = new AbortController();
    expect(await token({ isRejected: false, signal })).toBe("t1");
    expect(await token({ isRejected: true, rejected: "t1", signal })).toBe("t2");
    expect(await token({ isRejected: true, rejected: "t1", signal })).toBe("t2");
    const rejected: unknown[] = [];
    const bearer = { problemOf: () => undefined, apply: () => [] };
    const wrapped = authenticate(
      async () => new Response(null, { status: 401 }),
      [[bearer, (reason) => (rejected.push(reason.rejected), `k${rejected.length}`)]],
    );
    await wrapped(new Request("http://shop.test"));
    expect(rejected).toEqual([undefined, "k1"]);
  });
});

test("a middleware that replaces the request keeps the signal of the call", async () => {
  await using server = await clientOf({}, () => {});
  server.use({ onRequest: ({ request }: { request: Request }) => new Request(request.url) });
  const signal = AbortSignal.timeout(50);
  expect((await server.own({}, { signal })).error).toMatchObject({ code: "aborted" });
});

test("an attempt's error of a function is not that of a later attempt", async () => {
  let asked = 0;
  const key = () => {
    if (asked++ === 0) throw new TokenError("busy", 503);
    return "k";
  };
  await using server = await shop(
    inTurn((request) => request.socket.destroy()),
    { credentials: { key }, retry: { limit: 1, baseDelay: 1 } },
    { security: [["key"]] },
  );
  expect((await server.call()).error).toMatchObject({ code: "network_error" });
});

describe("the body of a call by path", () => {
  const post = { method: "POST", parameters: { body: "body" as const } };

  test("is left to a serializer of the call", async () => {
    await using server = await clientOf(post, ok);
    const form = new FormData();
    form.set("a", "1");
    await server.byPath({ body: { a: 1n }, bodySerializer: () => "one" });
    await server.byPath({ body: {}, bodySerializer: () => form });
    await server.byPath({ body: form });
    const types = server.requests.map(({ request }) => request.headers["content-type"]);
    const multipart = expect.stringMatching(/^multipart\/form-data; boundary=/) as string;
    expect(types).toEqual(["application/json", multipart, multipart]);
    expect(server.requests[0]!.body).toBe("one");
  });

  test("may have parameters behind its declared type", async () => {
    const write = bodyTypes({ "application/json": writeJson, "text/plain": writeRaw });
    await using server = await clientOf({ ...post, write }, ok);
    await server.byPath({ body: "é", headers: { "Content-Type": "text/plain; charset=utf-8" } });
    const [{ request, body }] = server.requests as [(typeof server.requests)[0]];
    expect([request.headers["content-type"], body]).toEqual(["text/plain; charset=utf-8", "é"]);
  });
});
