import { sql } from "kysely";
import { expect, test } from "vitest";
import { type LimitedThings, startLimited } from "./limited-things.ts";

const LIMITS = { perCaller: { requests: 6, seconds: 60 }, failuresPerAddress: { requests: 4, seconds: 60 } };

/** Starts two services on one database. */
async function twoServices(limits: Parameters<typeof startLimited>[0]): Promise<[LimitedThings, LimitedThings]> {
  const first = await startLimited(limits);
  return [first, await startLimited(limits, { storage: first.storage })];
}

test("two services on one database count the requests of a key together", async () => {
  const [first, second] = await twoServices(LIMITS);
  const { key: token } = first;
  const answers = await Promise.all(
    [first, second, first, second, first, second].map(({ request }) => request("/things", { token })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  const left = answers.map(({ headers }) => /r=(\d)/.exec(headers.get("RateLimit")!)![1]);
  expect(new Set(left)).toEqual(new Set(["0", "1", "2", "3", "4", "5"]));
  for (const { request } of [first, second, first]) {
    const refused = await request("/things", { token });
    expect(refused.headers.get("Retry-After")).toMatch(/^(5\d|60)$/);
    expect(refused.status).toBe(429);
  }
  expect((await second.request("/things")).status).toBe(200); // with the second service's own key
});

test("two services on one database count the failures of an address together", async () => {
  const [first, second] = await twoServices(LIMITS);
  const failures = async (...services: LimitedThings[]) => {
    const statuses = [];
    for (const { request } of services) statuses.push((await request("/things", { token: "wrong" })).status);
    return statuses;
  };
  expect(await failures(first, second, first, second)).toEqual([401, 401, 401, 401]);
  expect(await failures(first, second)).toEqual([429, 429]);
  expect((await first.request("/things")).status).toBe(200);
});

test("a request that cannot be counted gets 503, and succeeds once counting works again", async () => {
  const { request, key, storage } = await startLimited(LIMITS);
  await sql`alter table rate_limits rename to away`.execute(storage.db);
  for (const token of [key, "wrong"]) {
    const refused = await request("/things", { token });
    expect(refused.headers.get("Retry-After")).toBe("1");
    expect(refused.status).toBe(503);
  }
  await sql`alter table away rename to rate_limits`.execute(storage.db);
  expect((await request("/things")).status).toBe(200);
});

test("a count restarts after its period, even in a service that did not start it", async () => {
  const [first, second] = await twoServices({ perCaller: { requests: 1, seconds: 1 } });
  const { key: token } = first;
  await first.request("/things", { token });
  expect((await second.request("/things", { token })).status).toBe(429);
  await expect.poll(async () => (await second.request("/things", { token })).status, { timeout: 5_000 }).toBe(200);
});
