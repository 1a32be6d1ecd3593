import { createApiKey } from "@platform/api-keys/keys.repository";
import { networkOf } from "@platform/api-keys/rate-limits";
import { openDatabase } from "@platform/storage/database";
import { describe, expect, test } from "vitest";
import { expectError, startService, type TestService } from "../testing/service.ts";

describe("RATE_LIMIT", () => {
  test("says what is left, and then 429 for this key alone", async () => {
    await using service = await startService({ RATE_LIMIT: "3/60" });
    for (const left of [2, 1, 0]) {
      const { status, headers } = await service.request("/pets");
      expect({ status, policy: headers.get("RateLimit-Policy") }).toEqual({
        status: 200,
        policy: '"default";q=3;w=60',
      });
      expect(headers.get("RateLimit")).toMatch(new RegExp(`^"default";r=${left};t=(5\\d|60)$`));
    }
    const refused = await service.request("/pets");
    expect(refused.headers.get("RateLimit")).toMatch(/^"default";r=0;t=(5\d|60)$/);
    expect(refused.headers.get("Retry-After")).toMatch(/^(5\d|60)$/);
    await expectError(refused, 429, "rate_limited");

    const db = openDatabase(service.databaseUrl);
    const { key } = await createApiKey(db, { name: "other", environment: "development" });
    await db.destroy();
    expect((await service.request("/pets", { key })).status).toBe(200);
    expect((await fetch(new URL("/readyz", service.baseUrl))).status).toBe(200);
  });

  test("lets the key in again when the time is over", async () => {
    await using service = await startService({ RATE_LIMIT: "1/1" });
    await service.request("/pets");
    await expectError(await service.request("/pets"), 429, "rate_limited");
    await expect.poll(async () => (await service.request("/pets")).status, { timeout: 5_000 }).toBe(200);
  });
});

describe("AUTH_FAILURE_LIMIT", () => {
  test("429 for more wrong keys from an address, while valid ones pass", async () => {
    await using service = await startService({ AUTH_FAILURE_LIMIT: "2/60" });
    for (const key of ["a", "b"]) await expectError(await service.request("/pets", { key }), 401, "unauthorized");
    const refused = await service.request("/pets", { key: "c" });
    expect(refused.headers.get("Retry-After")).toMatch(/^(5\d|60)$/);
    await expectError(refused, 429, "rate_limited");
    for (let request = 0; request < 4; request++) expect((await service.request("/pets")).status).toBe(200);
  });
});

describe("AUTH_FAILURE_LIMIT with proxies", () => {
  const failFrom = async (service: TestService, header: string, value: string) =>
    (await service.request("/pets", { key: "wrong", headers: { [header]: value } })).status;

  test("counts the clients that trusted ones name, each for itself, IPv6 by /64", async () => {
    await using service = await startService({ AUTH_FAILURE_LIMIT: "2/60", TRUST_PROXY: "127.0.0.1" });
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

  test("is not evaded by what no trusted proxy has written", async () => {
    await using service = await startService({ AUTH_FAILURE_LIMIT: "2/60" });
    const statuses = [];
    for (const client of ["203.0.113.7", "203.0.113.8", "203.0.113.9"])
      statuses.push(await failFrom(service, "X-Forwarded-For", client));
    expect(statuses).toEqual([401, 401, 429]);
    expect(await failFrom(service, "Forwarded", "for=203.0.113.7")).toBe(429);
  });
});

test("there are no limits unless they are set", async () => {
  await using service = await startService();
  const { headers } = await service.request("/pets");
  expect(headers.has("RateLimit")).toBe(false);
  for (let request = 0; request < 50; request++) {
    await expectError(await service.request("/pets", { key: "wrong" }), 401, "unauthorized");
  }
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::9", "2001:db8:1:2"],
  ["2001:db8::9", "2001:db8:0:0"],
])("%s counts for %s", (address, network) => expect(networkOf(address)).toBe(network));
