import { getEventListeners } from "node:events";
import type { RequestListener } from "node:http";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { errorFields, raw, connectTo } from "../src/index.ts";
import { api, callsOf, inTurn, read, rejection, respond, shop, ShopError } from "./shop.ts";

const PAGE = "<h1>Bad Gateway</h1>";
const errors = errorFields("reason", "text");
const refused = JSON.stringify({ reason: "sold_out", text: "All are sold." });
const text = (status: number) => respond(status, PAGE, "text/html");

describe("a response outside the contract is an unreadable_answer with a reason:", () => {
  const cut = '[{"id":1';
  test.each<[listener: RequestListener, message: string, bodyStart?: string, operation?: object]>([
    [text(502), "The response 502 (text/html) is not the contract's Error. A proxy may have sent it.", PAGE],
    [text(400), "The response 400 (text/html) is not the contract's Error. A proxy may have sent it.", PAGE],
    [text(200), "The response 200 (text/html) is not JSON or is incomplete.", PAGE],
    [respond(200, cut), "The response 200 (application/json) is not JSON or is incomplete.", cut],
    [respond(500), "The response 500 (no Content-Type) has no body."],
    [respond(500, ""), "The response 500 (application/json) has no body."],
    [respond(200), "The response 200 (no Content-Type) has no body."],
    [respond(200, "null"), "The response 200 (application/json) has no body.", "null"],
    [
      respond(403, "{}"),
      "The response 403 (application/json) is not the contract's Error. A proxy may have sent it.",
      "{}",
    ],
    [respond(404), "The response 404 (no Content-Type) has no body.", "", { empty: [409] }],
    [
      respond(404, "{}"),
      "The response 404 (application/json) is not the contract's Error. A proxy may have sent it.",
      "{}",
      { empty: ["4XX"], errors: ["4XX"] },
    ],
    [respond(299, "{}"), "The response 299 (application/json) is not declared by the contract.", "{}"],
    [respond(399, refused), "The response 399 (application/json) is a redirect. Set baseUrl to its target.", refused],
  ])("%#: %s", async (listener, message, bodyStart = "", operation = {}) => {
    await using server = await shop(listener, { retry: false }, { errors });
    const result = await server.call(operation);
    const [, httpStatus, type] = /response (\d+) \((.*?)\)/.exec(message)!;
    const contentType = type === "no Content-Type" ? undefined : type;
    const { headers } = result.response;
    const facts = { httpStatus: Number(httpStatus), headers, contentType, bodyStart };
    const { cause, ...rest } = result as typeof result & { cause: unknown };
    expect(rest).toEqual({
      ok: false,
      status: 0,
      error: { code: "unreadable_answer", message, status: 0, ...facts },
      response: expect.any(Response),
      requestId: undefined,
    });
    expect(cause instanceof SyntaxError).toBe(message.includes("not JSON"));
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["opaqueredirect", "is a redirect. Set baseUrl to its target."],
    ["error", "is not declared by the contract."],
  ])("also a response without a status, of the type %s: it %s", async (type, problem) => {
    const fetch = async () => Object.defineProperty(Response.error(), "type", { value: type });
    const { error } = await callsOf(connectTo(api, { baseUrl: "http://shop.test", fetch }))();
    const message = `The response 0 (no Content-Type) ${problem}`;
    expect(error).toMatchObject({ code: "unreadable_answer", message, httpStatus: 0 });
  });

  test("with at most 1,024 bytes of the body, and whole characters", async () => {
    await using server = await shop(respond(500, `a${"€".repeat(2_000)}`, "text/html"));
    expect((await server.call()).error).toMatchObject({ bodyStart: `a${"€".repeat(341)}` });
  });

  test.each([0, 1_000, 1_015, 1_023])("without the credential that the body repeats after %i bytes", async (length) => {
    const secret = "s3cr3t/t0k3n";
    const repeated = `${"x".repeat(length)}${encodeURIComponent(secret)} ${secret} `;
    await using server = await shop(
      respond(500, repeated, "text/html"),
      { credentials: { key: secret }, retry: false },
      { security: [["key"]] },
    );
    const result = await server.call();
    const shown = inspect([result, await rejection(server.call().orThrow())], { depth: 9, maxStringLength: null });
    expect(shown).not.toContain("s3cr3t");
    const clean = `${"x".repeat(length)}[credential] [credential] `;
    expect(result.error).toMatchObject({ bodyStart: clean.slice(0, 1_024) });
  });
});

test.each<[listener: RequestListener, operation: object, error: object, body: unknown]>([
  [
    respond(404, refused),
    { errors: [409, "5XX"] },
    { code: "sold_out", message: "All are sold.", bodyStart: refused },
    JSON.parse(refused),
  ],
  [
    text(502),
    { errors: [409] },
    {
      code: "http_502",
      message: "The response 502 (text/html) is not declared by the contract.",
      contentType: "text/html",
      bodyStart: PAGE,
    },
    PAGE,
  ],
  [
    respond(404),
    { errors: [], empty: ["4XX"] },
    {
      code: "http_404",
      message: "The response 404 (no Content-Type) is not declared by the contract.",
      contentType: undefined,
      bodyStart: "",
    },
    undefined,
  ],
  [
    respond(202, refused),
    {},
    {
      code: "http_202",
      message: "The response 202 (application/json) is not declared by the contract.",
      bodyStart: refused,
    },
    JSON.parse(refused),
  ],
  [
    text(226),
    { streams: true },
    {
      code: "http_226",
      message: "The response 226 (text/html) is not declared by the contract.",
      contentType: "text/html",
      bodyStart: PAGE,
    },
    PAGE,
  ],
  ...[204, 205].map((status): [RequestListener, object, object, unknown] => [
    respond(status),
    {},
    {
      code: `http_${status}`,
      message: `The response ${status} (no Content-Type) is not declared by the contract.`,
      contentType: undefined,
      bodyStart: "",
    },
    undefined,
  ]),
  [
    respond(300),
    { errors: [404] },
    {
      code: "http_300",
      message: "The response 300 (no Content-Type) is a redirect. Set baseUrl to its target.",
      contentType: undefined,
      bodyStart: "",
    },
    undefined,
  ],
  [
    respond(301, "x", "", { Location: "/" }),
    {},
    {
      code: "http_301",
      message: "The response 301 (no Content-Type) is a redirect. Set baseUrl to its target.",
      contentType: undefined,
      bodyStart: "x",
    },
    "x",
  ],
  ...[{}, { errors: [] }].map((operation): [RequestListener, object, object, unknown] => [
    respond(304),
    operation,
    { code: "not_modified", message: "Not modified.", contentType: undefined, bodyStart: "" },
    undefined,
  ]),
])(
  "%#: a response that the contract does not declare keeps its status, headers and body",
  async (listener, operation, error, body) => {
    await using server = await shop(listener, { retry: false }, { errors });
    const result = await server.call(operation);
    const { status, headers } = result.response;
    const facts = { contentType: "application/json", ...error, body, status, httpStatus: status, headers };
    expect(result).toEqual({ ok: false, status, error: facts, response: result.response, requestId: undefined });
    const { httpStatus, bodyStart } = (await rejection(server.call(operation).orThrow())) as ShopError;
    expect([httpStatus, bodyStart]).toEqual([status, (result.error as { bodyStart: string }).bodyStart]);
  },
);

describe("a declared error has its body:", () => {
  test.each<[listener: RequestListener, operation: object, result: object]>([
    [respond(409, refused), {}, { status: 409, error: JSON.parse(refused) as object }],
    [respond(409, refused), { errors: ["4XX"] }, { status: 409, error: JSON.parse(refused) as object }],
    [respond(400, refused), { errors: [400] }, { status: 400, error: JSON.parse(refused) as object }],
    [
      respond(404),
      { errors: [404], empty: [404] },
      { status: 404, error: { code: "http_404", message: "Status 404.", status: 404 } },
    ],
  ])("%#", async (listener, operation, result) => {
    await using server = await shop(listener, { retry: false }, { errors });
    const found = await server.call(operation);
    expect(found).toEqual({ ok: false, response: expect.any(Response), requestId: undefined, ...result });
  });

  test.each<[body: string | undefined, type: string, error: unknown, message: string]>([
    ['{"code":"c","message":"m","detail":"d"}', "application/json", { code: "c", message: "m", detail: "d" }, "c: m"],
    ['{"detail":"d","title":"t"}', "application/problem+json", { detail: "d", title: "t" }, "http_400: d"],
    ['{"title":"t","error":"e"}', "application/json", { title: "t", error: "e" }, "http_400: t"],
    ['{"code":5,"error":{"message":"n"}}', "application/json", { code: 5, error: { message: "n" } }, "http_400: n"],
    [
      '{"error":"e","error_description":"f"}',
      "application/json",
      { error: "e", error_description: "f" },
      "http_400: e",
    ],
    [
      '{"message":"","error_description":"f"}',
      "application/json",
      { message: "", error_description: "f" },
      "http_400: f",
    ],
    ["[]", "application/json", [], "http_400: The service responded with status 400."],
    ["null", "application/json", null, "http_400: The service responded with status 400."],
    ['"no"', "text/plain", "no", "http_400: no"],
    [
      undefined,
      "",
      { code: "http_400", message: "The service responded with status 400.", status: 400 },
      "http_400: The service responded with status 400.",
    ],
    ["a".repeat(2_000), "text/plain", "a".repeat(2_000), `http_400: ${"a".repeat(1_000)}`],
  ])("without a format of the contract, %j of %s", async (body, type, error, message) => {
    await using server = await shop(respond(400, body, type), { retry: false });
    expect(await server.call()).toMatchObject({ ok: false, status: 400, error });
    const thrown = (await rejection(server.call().orThrow())) as ShopError;
    expect(`${thrown.code}: ${thrown.message}`).toBe(message);
  });

  test.each([
    ["<p>", "Text/HTML; charset=utf-8"],
    ['"a', "application/json"],
    ['"a"', "application/problem+json"],
  ])("and %j of %s is none", async (body, type) => {
    await using server = await shop(respond(400, body, type), { retry: false });
    expect((await server.call()).error).toMatchObject({ code: "unreadable_answer" });
  });
});

describe("no response:", () => {
  test("a refused connection is a network_error", async () => {
    const server = await shop(() => {}, { retry: false });
    await server[Symbol.asyncDispose]();
    const { error, ...result } = await server.call();
    expect(error).toEqual({ code: "network_error", message: "The connection failed. See cause.", status: 0 });
    expect(result).toEqual({
      ok: false,
      status: 0,
      cause: expect.objectContaining({ cause: expect.objectContaining({ code: "ECONNREFUSED" }) }),
      response: undefined,
      requestId: undefined,
    });
  });

  test("a connection that breaks within the body is a network_error with the facts of the response", async () => {
    await using server = await shop(
      (_request, response) => {
        response.writeHead(200, { "Content-Length": 100, "X-Request-Id": "r-1", "Content-Type": "text/csv" });
        response.write("[", () => response.destroy());
      },
      { retry: false },
    );
    expect(await server.call()).toMatchObject({
      error: { code: "network_error", httpStatus: 200, contentType: "text/csv", bodyStart: undefined },
      requestId: "r-1",
      cause: expect.any(TypeError),
    });
  });

  test("attemptTimeout ends an attempt whose head or body does not arrive", async () => {
    const part: RequestListener = (_request, response) =>
      void response.writeHead(200, { "Content-Length": 5 }).write("[");
    for (const listener of [() => {}, part]) {
      await using server = await shop(listener, { retry: { limit: 1, baseDelay: 1 }, attemptTimeout: 150 });
      const { error } = await server.call();
      expect(error).toMatchObject({ code: "timeout", message: "The complete response did not arrive in time." });
      expect(server.requests).toHaveLength(2);
    }
  });

  test("timeout ends a call whose fetch ignores its signal", async () => {
    const connection = connectTo(api, {
      baseUrl: "http://shop.test",
      timeout: 20,
      attemptTimeout: Infinity,
      fetch: () => new Promise(() => {}),
    });
    expect((await callsOf(connection)()).error).toMatchObject({ code: "timeout" });
  });

  test("a call without limits waits", async () => {
    await using server = await shop(
      (request, response) => void setTimeout(() => respond(200, "1")(request, response), 50),
      {
        timeout: Infinity,
        attemptTimeout: Infinity,
      },
    );
    expect(await server.call().orThrow()).toBe(1);
  });

  test("the signal ends an attempt, a wait, and a call before its request", async () => {
    const reason = new Error("the page was closed");
    const aborted = {
      ok: false,
      status: 0,
      error: { code: "aborted", message: "The call was aborted." },
      cause: reason,
    };
    for (const listener of [() => {}, respond(503, refused, undefined, { "Retry-After": "20" })] as RequestListener[]) {
      const controller = new AbortController();
      const { signal } = controller;
      await using server = await shop((request, response) => {
        listener(request, response);
        setTimeout(() => controller.abort(reason), 30);
      });
      expect(await server.call({}, {}, { signal })).toMatchObject(aborted);
      expect(server.requests).toHaveLength(1);
      expect(getEventListeners(signal, "abort")).toEqual([]);
      expect(await server.call({}, {}, { signal })).toMatchObject(aborted);
      expect(server.requests).toHaveLength(1);
    }
  });

  test("a signal that is aborted before a wait ends it at once", async () => {
    const controller = new AbortController();
    await using server = await shop(respond(503, refused, undefined, { "Retry-After": "20" }), {
      onRetry: () => controller.abort(),
    });
    const result = await server.call({}, {}, { signal: controller.signal });
    expect(result.error).toMatchObject({ code: "aborted" });
    expect(server.requests).toHaveLength(1);
  });

  test("an ended call leaves no timer and no listener, also one that its signal ended during a wait", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = respond(503, refused, undefined, { "Retry-After": "20" });
    await using server = await shop(inTurn(respond(200, "1"), respond(503, refused), respond(200, "1"), waiting), {
      onRetry: ({ delay }) => void (delay > 1_000 && setImmediate(() => controller.abort())),
    });
    await server.call();
    const before = timers();
    for (const expected of [true, false]) {
      const { ok } = await server.call({}, {}, { signal, attemptTimeout: 30_000 });
      expect(ok).toBe(expected);
      expect(timers()).toBeLessThanOrEqual(before);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
  });

  test("a value that cannot be sent is an unsendable_request", async () => {
    await using server = await shop(respond(200, "1"));
    const result = await server.call({ parameters: { Note: "header" } }, { Note: "two\nlines" });
    expect(result).toMatchObject({
      error: { code: "unsendable_request", message: "A value of the request cannot be sent. See cause." },
      cause: expect.any(TypeError),
    });
    expect(server.requests).toEqual([]);
  });
});

describe("a body larger than maxResponseBytes is a response_too_large, and not retried:", () => {
  const big = Buffer.from(`"${"é".repeat(500)}"`); // 1,002 bytes
  const chunked =
    (status: number, body: Uint8Array, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) => {
      response.writeHead(status, { "Content-Type": "application/json", ...headers }).flushHeaders();
      response.end(body);
    };
  const sized = respond(200, big, undefined, { "Content-Length": big.length });
  const compressed = gzipSync(big);
  const zipped = { "Content-Encoding": "gzip", "Content-Length": String(compressed.length) };
  test.each<[title: string, status: number, listener: RequestListener]>([
    ["with a length", 200, sized],
    ["in chunks", 200, chunked(200, big)],
    ["compressed", 200, chunked(200, compressed, zipped)],
    ["of an error", 503, chunked(503, big)],
    ["of an undeclared success", 202, chunked(202, big)],
  ])("%s", async (_title, status, listener) => {
    await using server = await shop(listener, { maxResponseBytes: 1_001 });
    expect(await server.call()).toMatchObject({
      status: 0,
      error: { code: "response_too_large", message: "The body is larger than 1001 bytes.", httpStatus: status },
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each<[title: string, listener: RequestListener]>([
    ["with a length", sized],
    ["in chunks", chunked(200, big)],
    ["compressed", chunked(200, compressed, zipped)],
  ])("but a body of this size is read, %s", async (_title, listener) => {
    await using server = await shop(listener, { maxResponseBytes: 1_002 });
    expect(await server.call().orThrow()).toBe("é".repeat(500));
  });

  test("and a small one whose compressed form has this size", async () => {
    const body = gzipSync('"a"');
    const headers = { "Content-Encoding": "gzip", "Content-Length": String(body.length) };
    await using server = await shop(chunked(200, body, headers), { maxResponseBytes: body.length });
    expect(await server.call().orThrow()).toBe("a");
  });

  test("in a runtime without streams of bodies", async () => {
    const whole = '"12345678"';
    const fetch = async () => ({
      status: 200,
      ok: true,
      headers: new Headers(),
      body: undefined,
      arrayBuffer: async () => new TextEncoder().encode(whole).buffer,
    });
    const callWith = (maxResponseBytes: number) =>
      callsOf(connectTo(api, { baseUrl: "http://shop.test", maxResponseBytes, fetch: fetch as never }))();
    expect((await callWith(10)).data).toBe("12345678");
    expect((await callWith(9)).error).toMatchObject({ code: "response_too_large" });
  });
});

describe("orThrow", () => {
  test("throws the contract's error, with the facts of the call", async () => {
    const listener = respond(409, refused, undefined, { "X-Request-Id": "r-1" });
    await using server = await shop(listener, {}, { errors });
    const thrown = await rejection(server.call({ id: "buy", method: "POST" }).orThrow());
    expect(thrown).toBeInstanceOf(ShopError);
    expect(Object.fromEntries(Object.entries(thrown))).toEqual({
      name: "ShopError",
      operationId: "buy",
      method: "POST",
      url: `${server.baseUrl}/a`,
      status: 409,
      code: "sold_out",
      requestId: "r-1",
      httpStatus: 409,
      headers: expect.any(Headers),
      contentType: "application/json",
      bodyStart: undefined,
    });
    expect(thrown.message).toBe("All are sold.");
    expect("cause" in thrown).toBe(false);
    expect((thrown as ShopError).error).toEqual(JSON.parse(refused));
    expect(inspect(thrown, { showHidden: false })).not.toContain("[error]");
  });

  test("throws the failure, with its cause", async () => {
    const connection = connectTo(api, { baseUrl: "http://127.0.0.1:1", retry: false });
    const thrown = await rejection(callsOf(connection)().orThrow());
    expect(thrown).toMatchObject({
      code: "network_error",
      message: "The connection failed. See cause.",
      status: 0,
      url: "http://127.0.0.1:1/a",
      httpStatus: undefined,
      headers: undefined,
      contentType: undefined,
      cause: expect.any(TypeError),
    });
  });

  test("throws the beginning of an unreadable body", async () => {
    await using server = await shop(text(502), { retry: false }, { errors });
    await expect(server.call().orThrow()).rejects.toMatchObject({ bodyStart: PAGE, httpStatus: 502, status: 0 });
  });

  test("of raw calls as well, which resolve to the response with its body unread", async () => {
    await using server = await shop(
      inTurn(respond(409, refused), respond(200, "12345")),
      { maxResponseBytes: 100 },
      { errors },
    );
    await expect(raw(server.connection, read as never)).rejects.toMatchObject({ name: "ShopError", code: "sold_out" });
    const response = await raw(server.connection, read as never);
    expect([response.bodyUsed, await response.text()]).toEqual([false, "12345"]);
  });
});

describe("a mistake of the program rejects the call:", () => {
  test.each<[title: string, fetch: () => unknown, message: string]>([
    [
      "a fetch that throws an error of its own",
      () => (undefined as unknown as URL).href,
      "Cannot read properties of undefined",
    ],
    [
      "one that rejects with it",
      async () => Promise.reject(new ReferenceError("x is not defined")),
      "x is not defined",
    ],
    ["one that returns no Response", async () => ({ data: [] }), "The fetch of the options did not return a Response."],
    ["one that returns nothing", async () => undefined, "The fetch of the options did not return a Response."],
    ["one without headers", async () => ({ status: 200 }), "The fetch of the options did not return a Response."],
    [
      "one without a status",
      async () => ({ headers: new Headers() }),
      "The fetch of the options did not return a Response.",
    ],
  ])("%s", async (_title, fetch, message) => {
    let count = 0;
    const counted = () => (count++, fetch());
    const connection = connectTo(api, { baseUrl: "http://shop.test", fetch: counted as never });
    await expect(callsOf(connection)()).rejects.toThrow(message);
    expect(count).toBe(1);
  });

  test.each([
    new TypeError("fetch failed"),
    new TypeError("Failed to fetch"),
    new TypeError("Load failed"),
    new TypeError("NetworkError when attempting to fetch resource."),
    new TypeError("other", { cause: new Error("inner") }),
    new Error("other"),
    { name: "AbortError" },
  ])("but not a connection that fails: %s", async (cause) => {
    const fetch = () => Promise.reject(cause);
    const result = await callsOf(connectTo(api, { baseUrl: "http://shop.test", retry: false, fetch }))();
    expect(result).toMatchObject({ error: { code: "network_error" }, cause });
  });
});
