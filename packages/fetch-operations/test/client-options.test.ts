import { getEventListeners } from "node:events";
import { describe, expect, test, vi } from "vitest";
import {
  call,
  type CallOptions,
  type ClientOptions,
  type Connection,
  fillServer,
  type LogLevel,
  logTo,
  type Operation,
  type RequestEvent,
  type ResponseEvent,
  connectTo,
  createClient,
} from "../src/index.ts";
import { api, callsOf, read } from "./shop.ts";

type Args = [input?: object, options?: CallOptions];
const operation = read as Operation<Args, { ok: boolean; status: number }>;
const callRead = (connection: Connection, args: Args) => call(connection, operation, ...args);

async function sent(options: Partial<ClientOptions>, respond: (count: number) => Response = () => Response.json(1)) {
  const requests: { url: string; request: Request; init: RequestInit | undefined; headers: Headers }[] = [];
  const fetch: ClientOptions["fetch"] = async (request, init) => {
    requests.push({ url: request.url, request, init, headers: request.headers });
    return respond(requests.length);
  };
  const connection = connectTo(api, { baseUrl: "http://shop.test/v1", fetch, retry: { baseDelay: 0 }, ...options });
  const result = await callRead(connection, [{}]);
  return { requests, result, connection };
}

test("fetch is called with the request, and with fetchOptions", async () => {
  const dispatcher = { dispatch: () => true };
  const { requests } = await sent({ fetchOptions: { dispatcher, cache: "no-store" } });
  const { request, init } = requests[0]!;
  expect(request).toBeInstanceOf(Request);
  expect(request).toMatchObject({ url: "http://shop.test/v1/a", method: "GET", redirect: "manual", cache: "no-store" });
  expect(init).toHaveProperty("dispatcher", dispatcher);
});

test("the User-Agent names client and runtime, another one, or none", async () => {
  const agent = async (userAgent?: string | false) =>
    (await sent({ userAgent })).requests[0]!.headers.get("User-Agent");
  expect(await agent()).toBe(`shop-client/1.2.3 node/${process.versions.node}`);
  expect(await agent("mine/1")).toBe("mine/1");
  expect(await agent(false)).toBeNull();
});

test("headers are sent with every request", async () => {
  expect((await sent({ headers: { "X-Team": "a" } })).requests[0]!.headers.get("X-Team")).toBe("a");
});

describe("hooks", () => {
  test("see each attempt, and onRequest may change its headers", async () => {
    const events: (RequestEvent | ResponseEvent)[] = [];
    const { requests, result } = await sent(
      {
        onRequest: async (event) => {
          events.push(event);
          event.headers.set("traceparent", `00-${event.attempt}`);
        },
        onResponse: (event) => void events.push(event),
      },
      (count) => (count === 1 ? new Response("", { status: 503 }) : Response.json(1)),
    );
    expect(result.ok).toBe(true);
    expect(requests.map(({ headers }) => headers.get("traceparent"))).toEqual(["00-1", "00-2"]);
    expect(events.map(({ attempt, method, url, operationId }) => [attempt, method, url, operationId])).toEqual(
      [1, 1, 2, 2].map((attempt) => [attempt, "GET", "http://shop.test/v1/a", "getPet"]),
    );
    expect(events[1]).toMatchObject({ response: { status: 503 }, duration: expect.any(Number) });
  });

  test.each(["onRequest", "onResponse"])("that throw reject the call: %s", async (name) => {
    const failure = new Error("broken hook");
    const hook = () => {
      throw failure;
    };
    await expect(sent({ [name]: hook })).rejects.toBe(failure);
    await expect(sent({ [name]: async () => hook() })).rejects.toBe(failure);
  });
});

describe("the log", () => {
  const lines = async (level: LogLevel | undefined, variable?: string) => {
    const found: string[] = [];
    const write = (of: string) => (message: string) => void found.push(`${of}: ${message.replace(/\d+ ms/, "n ms")}`);
    const logger = { debug: write("debug"), info: write("info"), warn: write("warn") };
    await sent(logTo(logger, { level, ...(variable !== undefined && { variable }) }), (count) =>
      count === 1 ? new Response("", { status: 503 }) : Response.json(1),
    );
    return found;
  };
  const failed = "info: getPet GET http://shop.test/v1/a 503 n ms (attempt 1)";
  const retry = "warn: getPet http_503: attempt 2 in n ms";
  const done = "debug: getPet GET http://shop.test/v1/a 200 n ms (attempt 2)";

  test("has the messages of its level", async () => {
    expect(await lines("debug")).toEqual([failed, retry, done]);
    expect(await lines("info")).toEqual([failed, retry]);
    expect(await lines("warn")).toEqual([retry]);
    expect(await lines("off")).toEqual([]);
    expect(await lines(undefined)).toEqual([]);
  });

  test.each<[status: number, url: string, line: string]>([
    [200, "http://x/a?key=secret&b=?", "debug: list GET http://x/a 200 13 ms (attempt 2)"],
    [304, "http://x/a", "debug: list GET http://x/a 304 13 ms (attempt 2)"],
    [399, "http://x/?a", "debug: list GET http://x/ 399 13 ms (attempt 2)"],
    [400, "http://x/a", "info: list GET http://x/a 400 13 ms (attempt 2)"],
    [503, "http://x/a", "info: list GET http://x/a 503 13 ms (attempt 2)"],
  ])("of the status %s of %s has no query", (status, url, line) => {
    const found: string[] = [];
    const write = (of: string) => (message: string) => void found.push(`${of}: ${message}`);
    const logger = { debug: write("debug"), info: write("info"), warn: write("warn") };
    const { onResponse, onRetry } = logTo(logger, { level: "debug" });
    const response = { status } as Response;
    void onResponse!({ operationId: "list", attempt: 2, method: "GET", url, duration: 12.6, response });
    onRetry!({ operationId: "list", attempt: 2, delay: 7.4, status, code: "busy" });
    expect(found).toEqual([line, "warn: list busy: attempt 3 in 7 ms"]);
  });

  test("takes its level from the environment, and rejects an unknown one", async () => {
    process.env["SHOP_LOG"] = "info";
    expect(await lines(undefined, "SHOP_LOG")).toEqual([failed, retry]);
    process.env["SHOP_LOG"] = "loud";
    await expect(lines(undefined, "SHOP_LOG")).rejects.toThrow(
      'The log level is "loud". Set debug, info, warn or off.',
    );
    delete process.env["SHOP_LOG"];
  });
});

describe("the retry budget", () => {
  test("bounds the retries of a storm of failures", async () => {
    let count = 0;
    const fetch = async () => (count++, new Response("", { status: 503 }));
    const connection = connectTo(api, { baseUrl: "http://shop.test", fetch, retry: { baseDelay: 0 } });
    await Promise.all(Array.from({ length: 300 }, () => callRead(connection, [{}])));
    expect(count).toBe(400);
  });

  test("is refilled by successes", async () => {
    let count = 0;
    const fetch = async () => (count++ % 2 === 0 ? new Response("", { status: 503 }) : Response.json(1));
    const connection = connectTo(api, { baseUrl: "http://shop.test", fetch, retry: { baseDelay: 0 }, retryBudget: 2 });
    for (let index = 0; index < 20; index++) {
      const result = await callRead(connection, [{}]);
      expect(result.ok).toBe(true);
    }
  });
});

describe("an option is rejected by name, when the client is created:", () => {
  const names = [
    "attemptTimeout",
    "baseUrl",
    "credentials",
    "fetch",
    "fetchOptions",
    "headers",
    "idleTimeout",
    "maxResponseBytes",
  ].concat([
    "onDeprecated",
    "onRequest",
    "onResponse",
    "onRetry",
    "retry",
    "retryBudget",
    "servers",
    "timeout",
    "userAgent",
  ]);
  /** The message that names all options, in any order. */
  const listing = (unknown: string) =>
    expect.toSatisfy((message: string) => {
      const [, found, list] = /^There is no option (\S+)\. The options are (.*)\.$/.exec(message) ?? [];
      return found === unknown && list?.split(", ").toSorted().join() === names.join();
    }) as string;
  const wrongUrl = "baseUrl is not a service URL. Pass one such as https://api.petstore.example/v1.";
  test.each<[options: object, message: string]>([
    [{ timout: 5 }, listing("timout")],
    [{ signal: undefined }, listing("signal")],
    [
      { retry: { limits: 5 } },
      "There is no option retry.limits. The options are limit, baseDelay, maxDelay, maxRetryAfter.",
    ],
    [{ retry: 5 }, "retry must be an object or false."],
    [{ retry: null }, "retry must be an object or false."],
    [{ retry: true }, "retry must be an object or false."],
    [{ timeout: -1 }, "timeout must be a number of at least 0."],
    [{ timeout: null }, "timeout must be a number of at least 0."],
    [{ attemptTimeout: Number.NaN }, "attemptTimeout must be a number of at least 0."],
    [{ maxResponseBytes: "5" }, "maxResponseBytes must be a number of at least 0."],
    [{ retryBudget: -Infinity }, "retryBudget must be a number of at least 0."],
    [{ retry: { limit: -1 } }, "limit must be a number of at least 0."],
    [{ retry: { baseDelay: 5n } }, "baseDelay must be a number of at least 0."],
    [{ retry: { maxDelay: false } }, "maxDelay must be a number of at least 0."],
    [{ retry: { maxRetryAfter: {} } }, "maxRetryAfter must be a number of at least 0."],
    ...["fetch", "onRequest", "onResponse", "onRetry"].flatMap((name): [object, string][] => [
      [{ [name]: 5 }, `${name} must be a function.`],
      [{ [name]: false }, `${name} must be a function.`],
    ]),
    [{ onDeprecated: true }, "onDeprecated must be a function."],
    ...[
      "/v1",
      "",
      undefined,
      "shop.test",
      "ftp://x/v1",
      "https://",
      "https://u:p@x/v1",
      "http://x/?a",
      "http://x/#a",
      "xhttp://a",
      "http://[x",
    ].map((baseUrl): [object, string] => [{ baseUrl }, wrongUrl]),
  ])("%o", (options, message) => {
    const create = () => connectTo(api, { baseUrl: "http://shop.test", ...options });
    expect(create).toThrow(expect.objectContaining({ name: "TypeError", message }));
  });

  test.each([
    [{ timeout: 0, attemptTimeout: Infinity, retryBudget: 0.5, maxResponseBytes: 0 }, {}],
    [{ timeout: undefined, fetch: undefined, onRetry: undefined, onDeprecated: false as const }, {}],
    [
      { retry: { limit: 0, baseDelay: 1, maxDelay: 2, maxRetryAfter: 3 } },
      { limit: 0, baseDelay: 1, maxDelay: 2, maxRetryAfter: 3 },
    ],
    [{ retry: false as const }, { limit: 0 }],
    [{ retry: undefined }, {}],
    [{ retry: { limit: undefined, maxDelay: 7 } }, { maxDelay: 7 }],
  ])("but not %o, and missing ones have the defaults of the README", (options, more) => {
    const defaults = {
      limit: 3,
      baseDelay: 300,
      maxDelay: 5_000,
      maxRetryAfter: 30_000,
      timeout: 60_000,
      attemptTimeout: 15_000,
      idleTimeout: Infinity,
    };
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => typeof value === "number"));
    expect(connectTo(api, { baseUrl: "http://shop.test", ...options }).limits).toEqual({
      ...defaults,
      maxResponseBytes: 104_857_600,
      retryBudget: 100,
      ...given,
      ...more,
    });
  });

  test("and an option of a call, by its rejection", async () => {
    const { connection } = await sent({});
    const options = "timeout, attemptTimeout, retry, idleTimeout, signal, headers, fetch, baseUrl, credentials";
    for (const [given, message] of [
      [{ maxResponseBytes: 5 }, `There is no option maxResponseBytes. The options are ${options}.`],
      [{ timeout: -1 }, "timeout must be a number of at least 0."],
      [{ retry: 5 }, "retry must be an object or false."],
    ] as [CallOptions, string][]) {
      await expect(callRead(connection, [{}, given])).rejects.toThrow(new TypeError(message));
      await expect(callRead(connection, [{}, given]).orThrow()).rejects.toThrow(new TypeError(message));
    }
  });
});

test.each(["http://shop.test/v1", "HTTP://shop.test/v1/", new URL("http://shop.test/v1//")])(
  "requests go below the baseUrl %s",
  async (baseUrl) => {
    const { requests, connection } = await sent({ baseUrl });
    expect(requests[0]!.url.toLowerCase()).toBe("http://shop.test/v1/a");
    expect(connection.baseUrl).toBe(String(baseUrl).replace(/\/+$/, ""));
  },
);

test("fetch, baseUrl and credentials of a call are in place of those of the client", async () => {
  const { connection, requests } = await sent({ credentials: { key: "client" } });
  const seen: (string | null)[][] = [];
  const own: CallOptions = {
    fetch: async ({ url, headers }) => (seen.push([url, headers.get("Authorization")]), Response.json(1)),
    baseUrl: "https://other.test/v2/",
    credentials: { key: "call" },
  };
  const secured = { ...operation, security: [["key"]] };
  await call(connection, secured, {}, own);
  await call(connection, secured, {});
  expect(seen).toEqual([["https://other.test/v2/a", "Bearer call"]]);
  expect([requests[1]!.url, requests[1]!.headers.get("Authorization")]).toEqual([
    "http://shop.test/v1/a",
    "Bearer client",
  ]);
  const { client } = createClient(api, { own: secured }, { baseUrl: "http://shop.test" });
  type ByPath = { GET: (path: string, init: object) => Promise<unknown> };
  await (client as ByPath).GET("/a", own);
  expect(seen[1]).toEqual(seen[0]);
  await expect(call(connection, secured, {}, { baseUrl: "no" })).rejects.toThrow("baseUrl is not a service URL.");
  await expect(call(connection, secured, {}, { credentials: { no: "k" } })).rejects.toThrow(
    "There is no option credentials.no.",
  );
  expect(await call(connection, secured, {}, { credentials: { key: "a b" } })).toMatchObject({
    error: { code: "unsendable_request" },
  });
});

test("a baseUrl without an origin is that of the page in browsers", async () => {
  vi.stubGlobal("location", { href: "https://shop.test/cart/1" });
  try {
    const { requests, connection } = await sent({ baseUrl: "/api" });
    expect([requests[0]!.url, connection.baseUrl]).toEqual(["https://shop.test/api/a", "https://shop.test/api"]);
    for (const baseUrl of ["api", "//other.test/api"])
      await expect(sent({ baseUrl })).rejects.toThrow("baseUrl is not");
  } finally {
    vi.unstubAllGlobals();
  }
});

test("one signal for thousands of calls gives no warning, and keeps no call", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  const { connection } = await sent({});
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 2_000 }, () => callRead(connection, [{}, { signal }])));
  await new Promise((done) => setImmediate(done)); // Warnings are emitted in the next turn.
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("the User-Agent names the runtime that runs the client", async () => {
  const agentIn = async (globals: object) => {
    const fetch = async ({ headers }: Request) => Response.json(headers.get("User-Agent"));
    const connect = () => connectTo(api, { baseUrl: "http://shop.test", fetch });
    for (const [name, value] of Object.entries({ process: undefined, navigator: undefined, ...globals }))
      vi.stubGlobal(name, value);
    let connection: Connection;
    try {
      connection = connect();
    } finally {
      vi.unstubAllGlobals();
    }
    return callsOf(connection)({ isNullable: true }).orThrow();
  };
  const node = "26.1.0";
  const worker = { userAgent: "Cloudflare-Workers" };
  const agents: [globals: object, agent: string | null][] = [
    [{ process: { versions: { node } } }, "shop-client/1.2.3 node/26.1.0"],
    [{ process: { versions: { node, bun: "1.3.0" } } }, "shop-client/1.2.3 bun/1.3.0"],
    [{ process: { versions: { node, deno: "2.5.0" } } }, "shop-client/1.2.3 deno/2.5.0"],
    [{ navigator: worker }, "shop-client/1.2.3 workerd"],
    [{ navigator: worker, process: { versions: { node } } }, "shop-client/1.2.3 workerd"],
    [{ navigator: { userAgent: "Mozilla/5.0" } }, null],
    [{ process: {} }, null],
    [{}, null],
  ];
  for (const [globals, agent] of agents) expect(await agentIn(globals), JSON.stringify(globals)).toBe(agent);
});

test("headers of the arguments override those of the client, and those of a call override both", async () => {
  const headers = { A: "client", B: "client", C: "client", "User-Agent": "mine" };
  const { connection, requests } = await sent({ headers });
  const own = { ...operation, parameters: { B: "header", C: "header" } } as typeof operation;
  await call(connection, own, { B: "argument", C: "argument" }, { headers: { C: "call", D: "call" } });
  const found = Object.fromEntries(requests[1]!.headers);
  expect(found).toEqual({ a: "client", b: "argument", c: "call", d: "call", "user-agent": "mine" });
});

test("without a fetch of its own, the client calls the global one at the time of the call", async () => {
  const connection = connectTo(api, { baseUrl: "http://shop.test", userAgent: "" });
  vi.stubGlobal("fetch", async ({ url, headers }: Request) => Response.json([url, headers.get("User-Agent")]));
  try {
    expect(await callRead(connection, [{}]).orThrow()).toEqual(["http://shop.test/a", null]);
  } finally {
    vi.unstubAllGlobals();
  }
});

describe("an operation with a server of its own", () => {
  const own = ["https://files.test/v3", "/files", "//files.test", "constructor", "__proto__", ""];
  const files = { ...api, servers: own };
  const urlsOf = async (servers?: Record<string, string | URL>) => {
    const urls: string[] = [];
    const fetch: ClientOptions["fetch"] = async ({ url }) => (urls.push(url), Response.json(1));
    const connection = connectTo(files, { baseUrl: "http://shop.test/v1", fetch, servers });
    for (const server of own) await call(connection, { ...operation, server }, {});
    await call(connection, operation, {});
    return urls;
  };

  test("is sent to baseUrl, unless the options name a URL for its server", async () => {
    const all = Array<string>(own.length + 1).fill("http://shop.test/v1/a");
    expect(await urlsOf()).toEqual(all);
    expect(await urlsOf({})).toEqual(all);
    const named = { "https://files.test/v3": "http://localhost:1/x/", "": new URL("https://empty.test") };
    expect(await urlsOf(named)).toEqual([
      "http://localhost:1/x/a",
      ...Array<string>(4).fill("http://shop.test/v1/a"),
      "https://empty.test/a",
      "http://shop.test/v1/a",
    ]);
  });

  test.each<[servers: unknown, message: string]>([
    [{ "https://files.test": "https://a.test" }, `There is no option servers.https://files.test. The options are`],
    [["https://files.test/v3"], "There is no option servers.0. The options are"],
    ...["/files", "ftp://a.test", "https://me:pw@a.test", "https://a.test?b", undefined, true].map(
      (url): [unknown, string] => [{ "/files": url }, "servers./files is not a service URL. Pass one such as"],
    ),
  ])("is an error for the servers %j", async (servers, message) => {
    await expect(urlsOf(servers as never)).rejects.toThrow(message);
  });
});

const METHODS = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"];

describe("a client", () => {
  const pages = { by: "page", page: "page", items: "", first: 1 } as const;
  const operations = {
    get: read,
    list: { ...read, id: "list", path: "/b", parameters: { page: "query" }, pages },
    again: { ...read, id: "again", success: [201] }, // Of operations with one path, the first is called.
    add: { ...read, id: "add", method: "POST", parameters: { body: "body" }, isRetryable: false },
  } as const;
  const urls: string[] = [];
  const fetch = async (request: Request) => {
    const { method, url, headers } = request;
    urls.push(`${method} ${url} ${await request.text()} ${headers.get("X-Own")}`);
    return Response.json([]);
  };
  type Client = Record<string, (...args: unknown[]) => Promise<unknown>> & Record<"raw" | "paginate", object>;
  const client = createClient(api, operations, { baseUrl: "http://x", fetch }).client as Client;

  test("is openapi-fetch's, and has a method for each operation and for pages", () => {
    const own = ["get", "list", "again", "add", "paginate", "raw"];
    const openapiFetch = ["request", "use", "eject"].concat(METHODS);
    expect(Object.keys(client).toSorted()).toEqual([...own, ...openapiFetch].toSorted());
    expect([Object.keys(client.raw), Object.keys(client.paginate)]).toEqual([Object.keys(operations), ["list"]]);
  });

  test("calls by path, with the parameters, the body and the options of a call", async () => {
    const headers = { "X-Own": "1" };
    await client["GET"]!("/b", { params: { query: { page: 2 } }, headers });
    await client["POST"]!("/a", { body: [1] });
    expect(await client["request"]!("get", "/a")).toEqual({ data: [], response: expect.any(Response) });
    expect(urls.splice(0)).toEqual(["GET http://x/b?page=2  1", "POST http://x/a [1] null", "GET http://x/a  null"]);
    const reason = new Error("enough");
    await expect(client["GET"]!("/a", { signal: AbortSignal.abort(reason), retry: false })).rejects.toThrow(reason);
    await expect(client["GET"]!("/a", { timeout: -1 })).rejects.toThrow("timeout must be a number of at least 0.");
  });
});

test("no attempt is made after the deadline", async () => {
  const { requests, result } = await sent({ timeout: 0 });
  expect([requests, result.status]).toEqual([[], 0]);
  const slow = await sent({ timeout: 60, retry: { baseDelay: 1_000 } }, () => new Response("", { status: 503 }));
  expect(slow.requests.length).toBeLessThan(3);
});

test.each([null, undefined])("a signal may be %s", async (signal) => {
  const { connection } = await sent({});
  const result = (await callRead(connection, [{}, { signal, timeout: undefined }])) as {
    ok: boolean;
  };
  expect(result.ok).toBe(true);
});

describe("the URL of a server", () => {
  test("has its variables", () => {
    expect(fillServer("https://{region}.shop.test:{port}/{base}", { region: "eu", port: "8443", base: "a/.v1" })).toBe(
      "https://eu.shop.test:8443/a/.v1",
    );
    expect(fillServer("{scheme}://{host}/{base}.v1", { scheme: "http", host: "a.test/b", base: "c/d" })).toBe(
      "http://a.test/b/c/d.v1",
    );
  });

  test.each([
    ["https://{region}.shop.test", "evil.test/x"],
    ["https://{region}{suffix}/v1", "evil.test/x"],
    ["https://{region}:8443/v1", "evil.test/x"],
    ["{region}.shop.test/v1", "https:/evil.test/x"],
    ["//{region}.shop.test", "evil.test/x"],
  ])("keeps the host of %s, so that no credential leaves it for %s", (url, region) => {
    expect(() => fillServer(url, { region, suffix: ".shop.test" })).toThrow('The server variable "region" is "');
  });

  test.each(["", "evil.test/", "/a", "a@b", "a?b", "a#b", "../x/", "a//b", "a b", "..", "a/..", "./a", undefined])(
    "rejects the value %j",
    (region) => {
      expect(() => fillServer("https://{region}.shop.test", { region })).toThrow(
        new TypeError(
          `The server variable "region" is ${JSON.stringify(region)}. Pass letters, digits and . _ ~ : - /`,
        ),
      );
    },
  );
});
