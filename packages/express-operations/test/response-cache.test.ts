import { describe, expect, test } from "vitest";
import { implement, isMatch, type OpenApiDocument, responseTagger } from "../src/index.ts";
import { ResponseCache } from "../src/road.ts";
import { listen } from "./listen.ts";

const json = {
  description: "",
  headers: { ETag: { schema: { type: "string" } } },
  content: { "application/json": {} },
};
const query = { name: "q", in: "query", schema: { type: "string" } };
const header = { name: "X-Shop", in: "header", schema: { type: "string" } };
const conditional = { name: "If-None-Match", in: "header", schema: { type: "string" } };
const document = {
  openapi: "3.1.1",
  paths: {
    "/things": {
      get: {
        operationId: "list",
        parameters: [query, conditional],
        responses: { 200: json, 304: { description: "" } },
      },
      post: { operationId: "add", responses: { 204: { description: "" } } },
    },
    "/once": {
      get: { operationId: "once", parameters: [{ ...conditional, required: true }], responses: { 200: json } },
    },
    "/shop": { get: { operationId: "shop", parameters: [header], responses: { 200: json } } },
  },
} as OpenApiDocument;

/** Starts a server with handlers that record their calls and return a body of configurable length. */
async function startCounting({
  bytes = 100_000,
  length = 10,
  version,
}: {
  bytes?: number;
  length?: number;
  version: () => number | undefined;
}) {
  const calls: unknown[] = [];
  const list = ({ query: { q } }: { query: { q?: string } }) => {
    calls.push(q);
    return { status: 200, body: { q, data: version(), filler: "x".repeat(length) } };
  };
  const handlers = {
    list: { handler: list, isCacheable: true },
    add: () => ({ status: 204 }),
    shop: list,
    once: list,
  } as never;
  const server = await listen(implement()({ document, handlers, cache: { version, bytes } }));
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(server.baseUrl + path, init);
    return {
      status: response.status,
      tag: response.headers.get("etag"),
      length: response.headers.get("content-length"),
      text: await response.text(),
    };
  };
  return { calls, get, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe("cached responses", () => {
  test("are sent again for the same URL, byte for byte, until the version changes", async () => {
    let version = 1;
    await using server = await startCounting({ version: () => version });
    const first = await server.get("/things?q=a");
    expect(await server.get("/things?q=a")).toEqual(first);
    await server.get("/things?q=b");
    expect(server.calls).toEqual(["a", "b"]);
    version = 2;
    const later = await server.get("/things?q=a");
    expect(server.calls).toEqual(["a", "b", "a"]);
    expect(JSON.parse(later.text)).toMatchObject({ data: 2 });
    expect(later.tag).not.toBe(first.tag);
  });

  test("are computed once for concurrent requests; a failure is not shared", async () => {
    const calls: (string | undefined)[] = [];
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const list = async ({ query: { q } }: { query: { q?: string } }) => {
      calls.push(q);
      await both.promise;
      return q === "broken" ? { status: 500 } : { status: 200, body: { q } };
    };
    const version = () => {
      if (++arrived === 4) setImmediate(both.resolve);
      return 1;
    };
    const handlers = {
      list: { handler: list, isCacheable: true },
      add: () => ({ status: 204 }),
      shop: list,
      once: list,
    } as never;
    await using server = await listen(implement()({ document, handlers, cache: { version } }));
    const statusOf = async (q: string) => (await fetch(`${server.baseUrl}/things?q=${q}`)).status;
    const statuses = await Promise.all(["good", "good", "broken", "broken"].map(statusOf));
    expect(statuses).toEqual([200, 200, 500, 500]);
    expect(calls.filter((q) => q === "good")).toHaveLength(1);
    expect(calls).toHaveLength(3);
  });

  test("are not stored if the data changed during execution", async () => {
    let version = 1;
    const began = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<void>();
    const list = async ({ query: { q } }: { query: { q?: string } }) => {
      const data = version;
      if (q === "slow" && data === 1) {
        began.resolve();
        await slow.promise;
      }
      return { status: 200, body: { data } };
    };
    const handlers = {
      list: { handler: list, isCacheable: true },
      add: () => ({ status: 204 }),
      shop: list,
      once: list,
    } as never;
    await using server = await listen(implement()({ document, handlers, cache: { version: () => version } }));
    const read = async (q: string) => (await fetch(`${server.baseUrl}/things?q=${q}`)).json();
    const early = read("slow");
    await began.promise;
    version = 2;
    expect(await read("quick")).toEqual({ data: 2 });
    slow.resolve();
    expect(await early).toEqual({ data: 1 });
    expect(await read("slow")).toEqual({ data: 2 });
  });

  test("are sent only to authorized requests whose Accept allows them", async () => {
    const bearer = { type: "http", scheme: "bearer" };
    const secured = {
      ...document,
      components: { securitySchemes: { bearer } },
      security: [{ bearer: [] }],
    } as OpenApiDocument;
    const handlers = {
      list: { handler: () => ({ status: 200, body: 1 }), isCacheable: true },
      add: () => ({}),
      shop: () => ({}),
      once: () => ({}),
    } as never;
    const authenticate = (token: string) => (token === "good" ? { caller: token } : undefined);
    await using server = await listen(
      implement()({
        document: secured,
        handlers,
        security: { bearer: authenticate },
        cache: { version: () => 1 },
      }),
    );
    const status = async (headers: Record<string, string>, method = "GET") =>
      (await fetch(`${server.baseUrl}/things`, { method, headers })).status;
    const good = { Authorization: "Bearer good" };
    expect(await status(good)).toBe(200);
    for (const method of ["GET", "HEAD"]) {
      expect(await status({}, method)).toBe(401);
      expect(await status({ Authorization: "Bearer bad" }, method)).toBe(401);
      expect(await status({ ...good, Accept: "text/html" }, method)).toBe(406);
      expect(await status(good, method)).toBe(200);
    }
  });

  test("have the version in a field of response.locals, if version is a string", async () => {
    let calls = 0;
    const list = { handler: () => ({ status: 200, body: ++calls }), isCacheable: true };
    const answer = () => ({ status: 204 });
    const handlers = { list, add: answer, shop: answer, once: answer } as never;
    const serve = implement()({ document, handlers, cache: { version: "changes" } });
    let changes: number | undefined = 1;
    await using server = await listen((request, response, next) => {
      response.locals["changes"] = changes;
      serve(request, response, next);
    });
    const read = async () => (await fetch(`${server.baseUrl}/things`)).json();
    const first = [await read(), await read()];
    changes = 2;
    const second = [await read(), await read()];
    changes = undefined;
    expect([...first, ...second, await read(), await read()]).toEqual([1, 1, 2, 2, 3, 4]);
  });

  test.each([undefined, null, false, "1"])("are not stored while the version is %s", async (version) => {
    await using server = await startCounting({ version: () => version as undefined });
    await server.get("/things");
    await server.get("/things");
    expect(server.calls).toHaveLength(2);
  });

  test("are evicted, oldest first, if they exceed the allowed bytes", async () => {
    await using server = await startCounting({ version: () => 1, bytes: 12_000, length: 2_000 });
    for (const q of ["a", "b", "c", "a", "c", "b"]) await server.get(`/things?q=${q}`);
    expect(server.calls).toEqual(["a", "b", "c", "a", "b"]);
  });

  test("are not computed from errors", async () => {
    await using server = await startCounting({ version: () => 1 });
    for (let time = 0; time < 2; time++) expect((await server.get("/things?unknown=1")).status).toBe(400);
  });

  test.each(["add", "shop", "once"])("are rejected at the start for the operation %s", (operation) => {
    const answer = () => ({});
    const handlers = {
      list: answer,
      add: answer,
      shop: answer,
      once: answer,
      [operation]: { handler: answer, isCacheable: true },
    } as never;
    expect(() => implement()({ document, handlers })).toThrow(`The handler of "${operation}" cannot be cacheable`);
  });
});

describe("ETag", () => {
  test.each([
    ["the tag", (tag: string) => tag, 304],
    ["the tag, weak, among others", (tag: string) => `"x", W/${tag}`, 304],
    ["*", () => "*", 304],
    ["another tag", () => '"another"', 200],
  ])("If-None-Match: %s", async (_, ifNoneMatch, status) => {
    await using server = await startCounting({ version: () => undefined });
    const { tag, text } = await server.get("/things");
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    const again = await server.get("/things", { headers: { "If-None-Match": ifNoneMatch(tag!) } });
    expect(again).toMatchObject({ status, tag, text: status === 304 ? "" : text });
  });

  test.each([200, 201, 404])("matching If-None-Match turns only 200 into 304: %d", async (status) => {
    const paths = { "/x": { get: { operationId: "x", responses: { [status]: json } } } };
    const handlers = { x: () => ({ status, headers: { ETag: '"a"' }, body: 1 }) } as never;
    await using server = await listen(implement()({ document: { openapi: "3.1.0", paths }, handlers }));
    const response = await fetch(`${server.baseUrl}/x`, { headers: { "If-None-Match": '"a"' } });
    expect([response.status, response.headers.get("ETag")]).toEqual([status === 200 ? 304 : status, '"a"']);
  });

  test("is computed for GET, but not for POST", async () => {
    const post = { operationId: "x", responses: { 200: json } };
    const paths = { "/x": { post, get: { ...post, operationId: "y" } } };
    const answer = () => ({ status: 200, body: 1 });
    await using server = await listen(
      implement()({ document: { openapi: "3.1.0", paths }, handlers: { x: answer, y: answer } as never }),
    );
    const tagOf = async (method: string) => (await fetch(`${server.baseUrl}/x`, { method })).headers.get("ETag");
    expect([await tagOf("POST"), await tagOf("GET")]).toEqual([null, expect.stringMatching(/^"/)]);
  });

  test("is the same for HEAD and GET", async () => {
    await using server = await startCounting({ version: () => undefined });
    const { tag, length } = await server.get("/things");
    expect(await server.get("/things", { method: "HEAD" })).toEqual({ status: 200, tag, length, text: "" });
  });
});

describe("If-Match of another operation", () => {
  const schema = { type: "object", properties: { title: { type: "string" } } };
  const content = { "application/json": { schema } };
  const ifMatch = { name: "If-Match", in: "header", schema: { type: "string" } };
  const paths = {
    "/books/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: {
        operationId: "getBook",
        responses: { 200: { ...json, content }, 404: { description: "", content } },
      },
      put: {
        operationId: "putBook",
        parameters: [ifMatch],
        requestBody: { content },
        responses: { 204: { description: "" }, 412: { description: "" } },
      },
    },
  };
  const shop = { openapi: "3.1.1", paths } as OpenApiDocument;

  /** Serves one book, whose rows have more than the declared fields. */
  async function startShop() {
    let book = { title: "Emma", cost: 3 };
    const getBook = ({ path }: { path: { id: string } }) =>
      path.id === "1" ? { status: 200, body: { toJSON: () => book } } : { status: 404, body: {} };
    const tagOf = responseTagger(shop, "getBook");
    const putBook = (input: { path: { id: string }; headers: { "If-Match"?: string }; body: { title: string } }) => {
      if (!isMatch(input.headers["If-Match"], tagOf(getBook(input)))) return { status: 412 };
      book = { ...input.body, cost: 4 };
      return { status: 204 };
    };
    const server = await listen(implement()({ document: shop, handlers: { getBook, putBook } as never }));
    const tag = async (init?: RequestInit) => (await fetch(`${server.baseUrl}/books/1`, init)).headers.get("ETag")!;
    const put = async (condition: string | undefined, title: string, id = "1") => {
      const headers = { "Content-Type": "application/json", ...(condition !== undefined && { "If-Match": condition }) };
      const body = JSON.stringify({ title });
      return (await fetch(`${server.baseUrl}/books/${id}`, { method: "PUT", headers, body })).status;
    };
    return { tag, put, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  }

  test("has the tag that GET, HEAD and 304 send, until the book changes", async () => {
    await using server = await startShop();
    const tag = await server.tag();
    expect(await server.tag({ method: "HEAD" })).toBe(tag);
    expect(await server.tag({ headers: { "If-None-Match": tag } })).toBe(tag);
    expect([await server.put(tag, "Persuasion"), await server.put(tag, "Emma")]).toEqual([204, 412]);
    expect([await server.put(await server.tag(), "Emma"), await server.tag()]).toEqual([204, tag]);
  });

  test.each<[string, (tag: string) => string | undefined, number]>([
    ["a list with the tag", (tag) => `"x", ${tag}`, 204],
    ["any tag", () => "*", 204],
    ["no condition", () => undefined, 204],
    ["another tag", () => '"x"', 412],
    ["the tag, but weak", (tag) => `W/${tag}`, 412],
    ["the tag without quotes", (tag) => tag.slice(1, -1), 412],
  ])("may be %s", async (_title, condition, status) => {
    await using server = await startShop();
    expect(await server.put(condition(await server.tag()), "Persuasion")).toBe(status);
  });

  test("is false for a resource that does not exist", async () => {
    await using server = await startShop();
    expect([await server.put("*", "Emma", "2"), await server.put(await server.tag(), "Emma", "2")]).toEqual([412, 412]);
  });

  test("cannot have the tag of an operation without an automatic one", () => {
    for (const id of ["putBook", "unknown"])
      expect(() => responseTagger(shop, id)).toThrow(
        `"${id}" is not a GET operation whose 200 declares an ETag header.`,
      );
  });
});

test("a write with If-None-Match gets the response of its handler", async () => {
  const put = { operationId: "x", parameters: [conditional], responses: { 200: json } };
  const handlers = { x: () => ({ status: 200, headers: { ETag: '"a"' }, body: 1 }) } as never;
  await using server = await listen(
    implement()({ document: { openapi: "3.1.0", paths: { "/x": { put } } }, handlers }),
  );
  const response = await fetch(`${server.baseUrl}/x`, { method: "PUT", headers: { "If-None-Match": "*" } });
  expect([response.status, await response.json()]).toEqual([200, 1]);
});

test("a weak tag of a handler leads to 304", async () => {
  const paths = { "/x": { get: { operationId: "x", responses: { 200: json } } } };
  const handlers = { x: () => ({ status: 200, headers: { ETag: 'W/"a"' }, body: 1 }) } as never;
  await using server = await listen(implement()({ document: { openapi: "3.1.0", paths }, handlers }));
  for (const tag of ['W/"a"', '"a"'])
    expect((await fetch(`${server.baseUrl}/x`, { headers: { "If-None-Match": tag } })).status).toBe(304);
});

test("the response of a handler that is not cacheable is never cached", async () => {
  const calls: string[] = [];
  const answer = (id: string) => () => (calls.push(id), { status: 200, body: calls.length });
  const handlers = {
    list: { handler: answer("list"), isCacheable: true },
    add: () => ({ status: 204 }),
    shop: answer("shop"),
    once: answer("once"),
  } as never;
  await using server = await listen(implement()({ document, handlers, cache: { version: () => 1 } }));
  const read = async (path: string) => (await fetch(server.baseUrl + path)).json();
  expect([await read("/shop"), await read("/shop"), await read("/shop")]).toEqual([1, 2, 3]);
  expect([await read("/things"), await read("/things")]).toEqual([4, 4]);
  expect(calls).toEqual(["shop", "shop", "shop", "list"]);
});

test("requests wait for the execution of the newest version, even if an older one finishes first", async () => {
  let version = 1;
  const kept = new ResponseCache({ version: () => version });
  const message = (payload: string) => ({ status: 200, headers: {}, payload });
  const older = Promise.withResolvers<ReturnType<typeof message>>();
  const newer = Promise.withResolvers<ReturnType<typeof message>>();
  const request = {} as never;
  kept.version(request);
  const first = kept.execute("k", 1, () => older.promise);
  version = 2;
  kept.version(request);
  const second = kept.execute("k", 2, () => newer.promise);
  older.resolve(message("older"));
  expect(await first).toEqual(message("older"));
  const third = kept.execute("k", 2, () => Promise.reject(new Error("made once more")));
  newer.resolve(message("newer"));
  expect([await second, await third]).toEqual([message("newer"), message("newer")]);
  expect(kept.find("k")).toEqual(message("newer"));
});

test("the cache holds exactly as many bytes as allowed", async () => {
  const message = { status: 200, headers: {}, payload: "x".repeat(487) };
  const entry = 1_024 + 2 * "a".length + 2 * 487;
  const keep = async (bytes: number) => {
    const kept = new ResponseCache({ version: () => 1, bytes });
    kept.version({} as never);
    for (const key of ["a", "b"]) await kept.execute(key, 1, () => Promise.resolve(message));
    return ["a", "b"].filter((key) => kept.find(key) !== undefined);
  };
  expect(await keep(entry - 1)).toEqual([]);
  expect(await keep(entry)).toEqual(["b"]);
  expect(await keep(2 * entry - 1)).toEqual(["b"]);
  expect(await keep(2 * entry)).toEqual(["a", "b"]);
});
