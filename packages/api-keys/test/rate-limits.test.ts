import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { errorBody } from "@openapi-operations/service/errors";
import express from "express";
import { implement, type OpenApiDocument, type SecurityHandler } from "express-operations";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createApiKey } from "../src/keys.repository.ts";
import { networkOf, type RateLimits, withRateLimits } from "../src/rate-limits.ts";
import { type LimitedThings, startLimited } from "./limited-things.ts";
import { temporaryStorage } from "./tables.ts";

/** In milliseconds. */
const DAY = 86_400_000;

describe("a limit of requests per key", () => {
  test("returns the remaining requests in RateLimit, then 429 for this key only", async () => {
    const { request, baseUrl, storage } = await startLimited({ perCaller: { requests: 3, seconds: 60 } });
    for (const left of [2, 1, 0]) {
      const { status, headers } = await request("/things");
      expect({ status, policy: headers.get("RateLimit-Policy") }).toEqual({
        status: 200,
        policy: '"default";q=3;w=60',
      });
      expect(headers.get("RateLimit")).toMatch(new RegExp(`^"default";r=${left};t=(5\\d|60)$`));
    }
    const refused = await request("/things");
    expect(refused.headers.get("RateLimit-Policy")).toBe('"default";q=3;w=60');
    expect(refused.headers.get("RateLimit")).toMatch(/^"default";r=0;t=(5\d|60)$/);
    expect(refused.headers.get("Retry-After")).toMatch(/^(5\d|60)$/);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual(errorBody("rate_limited"));

    const { key } = await storage.write((trx) => createApiKey(trx, { name: "other", environment: "development" }));
    expect((await request("/things", { token: key })).status).toBe(200);
    expect((await request("/things", { token: "wrong" })).status).toBe(401); // failures are not limited
    expect((await fetch(new URL("/readyz", baseUrl))).status).toBe(200);
  });

  test("accepts the key again after the period", async () => {
    const { request } = await startLimited({ perCaller: { requests: 1, seconds: 1 } });
    await request("/things");
    expect((await request("/things")).status).toBe(429);
    await expect.poll(async () => (await request("/things")).status, { timeout: 5_000 }).toBe(200);
  });
});

test.each([
  ["back three days", -3 * DAY],
  ["ahead by a day", DAY],
])("a clock set %s neither ends a limit early nor prolongs it", async (_, shift) => {
  onTestFinished(() => void vi.useRealTimers());
  const { request } = await startLimited({
    perCaller: { requests: 1, seconds: 5 },
    failuresPerAddress: { requests: 1, seconds: 5 },
  });
  expect([(await request("/things")).status, (await request("/things", { token: "wrong" })).status]).toEqual([
    200, 401,
  ]);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + shift });
  for (const token of [undefined, "wrong"]) {
    const { status, headers } = await request("/things", token === undefined ? {} : { token });
    expect(status).toBe(429);
    expect(headers.get("Retry-After")).toMatch(/^[1-5]$/);
    expect(headers.get("RateLimit")).toMatch(/;t=[1-5]$/);
  }
});

describe("a limit of failures per address", () => {
  const failures = { requests: 2, seconds: 60 };
  const failFrom = async ({ request }: LimitedThings, header: string, value: string) =>
    (await request("/things", { token: "wrong", headers: { [header]: value } })).status;

  test("rejects further wrong keys with 429, and accepts valid keys", async () => {
    const { request } = await startLimited({ failuresPerAddress: failures });
    for (const token of ["a", "b"]) expect((await request("/things", { token })).status).toBe(401);
    const refused = await request("/things", { token: "c" });
    expect(refused.headers.get("Retry-After")).toMatch(/^(5\d|60)$/);
    expect(refused.status).toBe(429);
    for (let count = 0; count < 4; count++) {
      const { status, headers } = await request("/things");
      expect([status, headers.has("RateLimit")]).toEqual([200, false]);
    }
  });

  test("counts each client behind a trusted proxy separately, and IPv6 clients by /64", async () => {
    const service = await startLimited({ failuresPerAddress: failures }, { env: { TRUST_PROXY: "127.0.0.1" } });
    const usual = async (value: string) => failFrom(service, "X-Forwarded-For", value);
    expect(await usual("203.0.113.7")).toBe(401);
    expect(await usual("6.6.6.1, 203.0.113.7")).toBe(401);
    expect(await usual("6.6.6.2, 203.0.113.7:80")).toBe(429);
    expect(await failFrom(service, "Forwarded", "for=6.6.6.3, for=203.0.113.7")).toBe(429);
    expect(await usual("203.0.113.8")).toBe(401);
    expect(await usual("2001:DB8:0:1::1")).toBe(401);
    expect(await usual("[2001:0db8:0000:0001:ffff::2]:443")).toBe(401);
    expect(await usual("2001:db8:0:1::3")).toBe(429);
    expect(await usual("2001:db8:0:2::3")).toBe(401);
  });

  test("ignores forwarding headers of untrusted clients", async () => {
    const service = await startLimited({ failuresPerAddress: failures });
    const statuses = [];
    for (const client of ["203.0.113.7", "203.0.113.8", "203.0.113.9"])
      statuses.push(await failFrom(service, "X-Forwarded-For", client));
    expect(statuses).toEqual([401, 401, 429]);
    expect(await failFrom(service, "Forwarded", "for=203.0.113.7")).toBe(429);
  });
});

describe("a service with several security schemes", () => {
  type User = { id: number | string };
  const key: SecurityHandler<User> = (text) => (text === "key-1" ? { caller: { id: 1 } } : undefined);
  const token: SecurityHandler<User> = (text) => (/^token-\w+$/.test(text) ? { caller: { id: text } } : undefined);
  const password: SecurityHandler<User> = (text) => (text === "1:secret" ? { caller: { id: 1 } } : undefined);
  const document = {
    openapi: "3.1.0",
    security: [{ oauth: ["a"] }, { oauth: [] }, { header: [] }, { query: [] }, { user: [] }],
    components: {
      securitySchemes: {
        header: { type: "apiKey", in: "header", name: "X-Key" },
        query: { type: "apiKey", in: "query", name: "key" },
        oauth: { type: "oauth2", flows: {} },
        bearer: { type: "http", scheme: "bearer" },
        user: { type: "http", scheme: "basic" },
      },
    },
    paths: {
      "/x": { get: { operationId: "x", responses: { 200: { description: "" } } } },
      "/either": {
        get: {
          operationId: "either",
          security: [{ bearer: [] }, { oauth: [] }],
          responses: { 200: { description: "" } },
        },
      },
    },
  } as unknown as OpenApiDocument;

  const schemes = { header: key, query: key, oauth: token, bearer: key, user: password };

  /** Starts the service, and returns a function that requests a path. */
  async function start(limits: Partial<RateLimits>, security: Record<string, SecurityHandler<User>> = schemes) {
    const storage = await temporaryStorage();
    const all = { perCaller: undefined, failuresPerAddress: undefined, ...limits };
    const limited = withRateLimits(all, storage.db, security, ["user"]);
    const handle = () => ({ status: 200 });
    const handlers = { x: handle, either: handle } as never;
    const server = express()
      .use(implement()({ document, handlers, ...limited }))
      .listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return (target: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}${target}`, { headers });
  }
  /** The same, with a function that returns the status. */
  async function startForStatus(limits: Partial<RateLimits>) {
    const request = await start(limits);
    return async (...sent: Parameters<typeof request>) => (await request(...sent)).status;
  }
  const basic = (credentials: string) => ({ Authorization: `Basic ${btoa(credentials)}` });
  const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });

  test("limits each key, subject and user on its own, and a key in one place with the other", async () => {
    const ask = await startForStatus({ perCaller: { requests: 2, seconds: 60 } });
    expect(await ask("/x", { "X-Key": "key-1" })).toBe(200);
    expect(await ask("/x?key=key-1")).toBe(200);
    expect(await ask("/x", { "X-Key": "key-1" })).toBe(429);
    for (const _ of [1, 2]) expect(await ask("/x", basic("1:secret"))).toBe(200); // a user with the id of the key
    expect(await ask("/x", basic("1:secret"))).toBe(429);
    for (const _ of [1, 2]) expect(await ask("/x", bearer("token-a"))).toBe(200);
    expect(await ask("/x", bearer("token-a"))).toBe(429);
    expect(await ask("/x", bearer("token-b"))).toBe(200);
  });

  test.each([false, null, 0, ""])(
    "admits nobody for a security handler that returns %s, and counts a failure",
    async (no) => {
      const limit = { requests: 1, seconds: 60 };
      const security = { ...schemes, header: () => no as never };
      const request = await start({ perCaller: limit, failuresPerAddress: limit }, security);
      const statuses = [];
      for (const _ of [1, 2]) statuses.push((await request("/x", { "X-Key": "key-1" })).status);
      expect(statuses).toEqual([401, 429]);
    },
  );

  test("counts a request once, though two alternatives validate its token", async () => {
    const withoutScope: SecurityHandler<User> = (text) => ({ caller: { id: text }, scopes: [] });
    const request = await start({ perCaller: { requests: 2, seconds: 60 } }, { ...schemes, oauth: withoutScope });
    const { status, headers } = await request("/x", bearer("token-a"));
    expect([status, headers.get("RateLimit")]).toEqual([200, expect.stringMatching(/^"default";r=1;/)]);
  });

  test("counts no failure of a request that another alternative admits", async () => {
    const ask = await startForStatus({ failuresPerAddress: { requests: 1, seconds: 60 } });
    for (const _ of [1, 2, 3]) expect(await ask("/either", bearer("token-a"))).toBe(200); // no API key
    expect(await ask("/either", bearer("wrong"))).toBe(401);
    expect(await ask("/either", bearer("wrong"))).toBe(429);
    expect(await ask("/either", bearer("token-a"))).toBe(200);
  });

  test("validates no more passwords from an address beyond the limit of failures, and still keys", async () => {
    const ask = await startForStatus({ failuresPerAddress: { requests: 2, seconds: 60 } });
    expect(await ask("/x", basic("1:secret"))).toBe(200);
    for (const guess of ["a", "b"]) expect(await ask("/x", basic(`1:${guess}`))).toBe(401);
    expect(await ask("/x", basic("1:secret"))).toBe(429);
    expect(await ask("/x", { "X-Key": "key-1" })).toBe(200);
  });
});

test("no limit applies by default", async () => {
  const { request } = await startLimited({});
  expect((await request("/things")).headers.has("RateLimit")).toBe(false);
  for (let count = 0; count < 50; count++) expect((await request("/things", { token: "wrong" })).status).toBe(401);
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::9", "2001:db8:1:2"],
  ["2001:db8::9", "2001:db8:0:0"],
])("networkOf(%s) is %s", (address, network) => expect(networkOf(address)).toBe(network));
