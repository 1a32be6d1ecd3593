import { describe, expect, test } from "vitest";
import {
  call,
  type CallOptions,
  type ClientOptions,
  type Connection,
  fillServer,
  logTo,
  type Operation,
  type RequestEvent,
  type ResponseEvent,
} from "../src/index.ts";
import { connectTo } from "../src/connection.ts";
import { api, read } from "./test-api.ts";

type Args = [input?: object, options?: CallOptions];
const operation = read as Operation<Args, { ok: boolean; status: number }>;
const callRead = (connection: Connection, args: Args) => call(connection, operation, ...args);

async function sent(options: Partial<ClientOptions>, respond: (count: number) => Response = () => Response.json(1)) {
  const requests: { url: string; init: RequestInit; headers: Headers }[] = [];
  const fetch: ClientOptions["fetch"] = async (url, init) => {
    requests.push({ url, init, headers: new Headers(init.headers) });
    return respond(requests.length);
  };
  const connection = connectTo(api, { baseUrl: "http://shop.test/v1", fetch, retry: { baseDelay: 0 }, ...options });
  const result = await callRead(connection, [{}]);
  return { requests, result, connection };
}

test("fetch is called with the URL and options, and fetchOptions are among them", async () => {
  const dispatcher = {};
  const { requests } = await sent({ fetchOptions: { dispatcher, cache: "no-store" } });
  expect(requests[0]).toMatchObject({
    url: "http://shop.test/v1/a",
    init: { method: "GET", redirect: "manual", dispatcher, cache: "no-store" },
  });
  expect(requests[0]!.init).toHaveProperty("dispatcher", dispatcher);
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
  const lines = async (level: "debug" | "info" | "warn" | undefined, variable?: string) => {
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
    expect(await lines(undefined)).toEqual([]);
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
    expect(fillServer("https://{region}.shop.test:{port}/{base}", { region: "eu", port: "8443", base: "a/v1" })).toBe(
      "https://eu.shop.test:8443/a/v1",
    );
  });

  test.each(["", "evil.test/", "a@b", "a?b", "a#b", "../x/", "a//b"])("rejects the value %j", (region) => {
    expect(() => fillServer("https://{region}.shop.test", { region })).toThrow('The server variable "region" is ');
  });
});
