import { describe, expect, test, vi } from "vitest";
import { delayBeforeRetry } from "../src/parts/retry.ts";
import { errorFields, type Retry, connectTo } from "../src/index.ts";
import { api, callsOf, inTurn, respond, shop } from "./shop.ts";

const refused = JSON.stringify({ code: "busy", message: "Later." });
const refuse = (status = 503, headers: Record<string, string> = {}) => respond(status, refused, undefined, headers);
const ok = respond(200, "1");

describe("the wait before a retry", () => {
  const limits = { limit: 3, baseDelay: 0, maxDelay: 0, maxRetryAfter: 30_000 };
  const at = "Mon, 23 Nov 2026 11:00:00 GMT";

  test.each<[headers: Record<string, string>, delay: number | undefined]>([
    [{}, 0],
    [{ "Retry-After": "0" }, 0],
    [{ "Retry-After": "2" }, 2_000],
    [{ "Retry-After": "30" }, 30_000],
    [{ "Retry-After": "31" }, undefined],
    [{ "Retry-After": "99999999999999999999" }, undefined],
    [{ "Retry-After": "-1" }, 0],
    [{ "Retry-After": "1.5" }, 0],
    [{ "Retry-After": "" }, 0],
    [{ "Retry-After": "2s" }, 0],
    [{ "Retry-After": "s2" }, 0],
    [{ "Retry-After": "Mon, 23 Nov 2026 11:00:05 GMT", Date: at }, 5_000],
    [{ "Retry-After": "Mon, 23 Nov 2026 10:59:00 GMT", Date: at }, 0],
    [{ "Retry-After": "Mon, 23 Nov 2026 11:00:31 GMT", Date: at }, undefined],
    [{ "Retry-After": "Mon, 23 Nov 1970 11:00:05 GMT" }, 0],
    [{ "Retry-After": "Mon, 23 Nov 2099 11:00:05 GMT" }, undefined],
    [{ "Retry-After": "Mon, 23 Nov 2099 11:00:05 GMT", Date: "soon" }, undefined],
  ])("after a response with %j is %s ms", (headers, delay) => {
    expect(delayBeforeRetry(new Headers(headers), 1, limits)).toBe(delay);
  });

  test.each([
    [1, 150],
    [2, 300],
    [3, 600],
    [4, 1_000],
  ])("%s has half of its bound of %s ms, with a random number of 0.5", (count, delay) => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
    const given = { limit: 4, baseDelay: 300, maxDelay: 2_000, maxRetryAfter: 30_000 };
    const waits = [{}, { "Retry-After": "1" }].map((headers) =>
      delayBeforeRetry(new Headers(headers as Record<string, string>), count, given),
    );
    random.mockRestore();
    expect(waits).toEqual([delay, delay + 1_000]);
  });
});

describe("a call is retried", () => {
  test.each([
    [408, 2],
    [429, 2],
    [502, 2],
    [503, 2],
    [504, 2],
    [400, 1],
    [409, 1],
    [500, 1],
    [501, 1],
  ])("after the status %s: %s requests", async (status, count) => {
    await using server = await shop(inTurn(refuse(status), ok));
    expect((await server.call()).status).toBe(count === 2 ? 200 : status);
    expect(server.requests).toHaveLength(count);
  });

  test("after the contract's transient codes, and no other", async () => {
    const own = { errors: errorFields("code", "message"), transientCodes: ["slow", "busy"] };
    await using server = await shop(inTurn(refuse(409), respond(409, '{"code":"no","message":""}')), {}, own);
    expect((await server.call()).error).toMatchObject({ code: "no" });
    expect(server.requests).toHaveLength(2);
  });

  test("after a connection that breaks before or within a response", async () => {
    await using server = await shop(
      inTurn(
        (request) => request.socket.destroy(),
        (_request, response) => {
          response.writeHead(200, { "Content-Length": 100 }).write("[", () => response.destroy());
        },
        ok,
      ),
    );
    expect(await server.call().orThrow()).toBe(1);
  });

  test("three times by default, by the client's and by the call's limit", async () => {
    await using server = await shop(refuse());
    const count = async (options: object) => {
      server.requests.length = 0;
      expect((await server.call({}, {}, options)).status).toBe(503);
      return server.requests.length;
    };
    expect(await count({})).toBe(4);
    expect(await count({ retry: undefined })).toBe(4);
    expect(await count({ retry: { limit: 1 } })).toBe(2);
    expect(await count({ retry: { limit: 0 } })).toBe(1);
    expect(await count({ retry: false })).toBe(1);
    expect(await count({ retry: { limit: undefined } })).toBe(4);
    await using other = await shop(refuse(), { retry: false });
    await other.call();
    await other.call({}, {}, { retry: { limit: 1, baseDelay: 0 } });
    expect(other.requests).toHaveLength(3);
  });

  test("only if the operation is safe to repeat", async () => {
    await using server = await shop(refuse());
    await server.call({ isRetryable: false });
    expect(server.requests).toHaveLength(1);
  });

  test("with a report of the failed attempt and the wait", async () => {
    const retries: Retry[] = [];
    await using server = await shop(
      inTurn(refuse(429, { "Retry-After": "0" }), (request) => request.socket.destroy(), ok),
      {
        onRetry: (retry) => void retries.push(retry),
        retry: { baseDelay: 4 },
      },
    );
    await server.call();
    const delay = expect.any(Number) as number;
    expect(retries).toEqual([
      { operationId: "getPet", attempt: 1, delay, status: 429, code: "busy" },
      { operationId: "getPet", attempt: 2, delay, status: 0, code: "network_error" },
    ]);
    for (const [index, retry] of retries.entries()) expect(retry.delay).toBeLessThan(4 * 2 ** index);
  });

  test("after a wait of at least Retry-After", async () => {
    await using server = await shop(inTurn(refuse(503, { "Retry-After": "1" }), ok));
    const start = performance.now();
    expect((await server.call()).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(990);
  });

  test("not if the wait would exceed the timeout, and the call returns the response", async () => {
    await using server = await shop(refuse(503, { "Retry-After": "5" }), { timeout: 4_000 });
    const start = performance.now();
    expect((await server.call()).status).toBe(503);
    expect(performance.now() - start).toBeLessThan(3_000);
    expect(server.requests).toHaveLength(1);
  });
});

describe("an idempotency key", () => {
  const operation = { method: "POST", idempotencyKey: "Request-Key", parameters: { "Request-Key": "header" as const } };
  test("is one for all attempts of a call, and another for each call", async () => {
    const keys: unknown[] = [];
    await using server = await shop((request, response) => {
      keys.push(request.headers["request-key"]);
      (keys.length < 3 ? refuse() : ok)(request, response);
    });
    await server.call(operation);
    await server.call(operation);
    expect(keys[0]).toMatch(/^\d+(?:-\d+){3}$/);
    expect(keys.slice(1)).toEqual([keys[0], keys[0], expect.not.stringContaining(String(keys[0]))]);
  });

  test("is that of the arguments or of the call's headers, if they have one", async () => {
    const keys: unknown[] = [];
    await using server = await shop((request, response) => {
      keys.push(request.headers["request-key"]);
      ok(request, response);
    });
    await server.call(operation, { "Request-Key": "mine" });
    await server.call(operation, { "Request-Key": "mine" }, { headers: { "Request-Key": "yours" } });
    await server.call({ ...operation, idempotencyKey: undefined } as never, {});
    expect(keys).toEqual(["mine", "yours", undefined]);
  });
});

describe("the retry budget", () => {
  const storm = { retry: { baseDelay: 0 }, baseUrl: "http://shop.test" };
  const failing = () => new Response(refused, { status: 503 });
  const count = async (retryBudget: number | undefined, responses: string, calls: number) => {
    let sent = 0;
    const fetch = async () => (responses[sent++ % responses.length] === "5" ? failing() : Response.json(1));
    const connection = connectTo(api, { ...storm, fetch, ...(retryBudget !== undefined && { retryBudget }) });
    for (let index = 0; index < calls; index++) await callsOf(connection)();
    return sent;
  };

  test("is 100 by default, and bounds the retries of all calls together", async () => {
    expect(await count(undefined, "5", 50)).toBe(150);
    expect(await count(Infinity, "5", 50)).toBe(200);
  });

  test.each([
    [0, "5", 1, 1],
    [0.9, "5", 1, 1],
    [1, "5", 1, 2],
    [2, "5", 1, 3],
    [1, "52", 20, 40], // A success returns the retries of its call.
    [1, "552222222225", 11, 12], // and a tenth of a retry: nine do not make one,
    [1, "55222222222225", 13, 15], // eleven do,
    [1, "222222222222555", 13, 14], // and never more than the budget.
  ])("of %s, with the responses %s: %s calls send %s requests", async (budget, responses, calls, requests) => {
    expect(await count(budget, responses, calls)).toBe(requests);
  });
});

test("no attempt is made after the timeout, and the last result is returned", async () => {
  const calls = (options: object, respondTo: () => Promise<Response>) => {
    let sent = 0;
    const fetch = () => (sent++, respondTo());
    const connection = connectTo(api, { baseUrl: "http://shop.test", fetch, ...options });
    return callsOf(connection)().then((result) => [sent, result.status, (result.error as { code: string }).code]);
  };
  expect(await calls({ timeout: 0 }, async () => Response.json(1))).toEqual([0, 0, "timeout"]);
  expect(await calls({ attemptTimeout: 0, retry: false }, async () => Response.json(1))).toEqual([0, 0, "timeout"]);
  const hanging = { timeout: 600, attemptTimeout: 250, retry: { limit: 100, baseDelay: 1 } };
  const [sent, ...result] = await calls(hanging, () => new Promise(() => {}));
  expect(result).toEqual([0, "timeout"]);
  expect(sent).toBeGreaterThan(1);
  expect(sent).toBeLessThan(6);
});
