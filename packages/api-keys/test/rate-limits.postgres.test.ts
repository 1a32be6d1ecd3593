import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
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

test.each([10, -10])(
  "a host whose clock is %i minutes off counts in the same periods as the others",
  async (minutes) => {
    onTestFinished(() => void vi.useRealTimers());
    const limits = {
      perCaller: { requests: 2, seconds: 5 },
      failuresPerAddress: { requests: 2, seconds: 5 },
    };
    const [first, second] = await twoServices(limits);
    for (const token of [first.key, "wrong"]) {
      await second.request("/things", { token });
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
      await first.request("/things", { token });
      expect(retryAfter(await first.request("/things", { token }))).toMatch(/^[1-5]$/);
      vi.useRealTimers();
      expect(retryAfter(await second.request("/things", { token }))).toMatch(/^[1-5]$/);
    }
  },
);

test("a period in the future, which a host's or the database's clock left, counts as ended", async () => {
  const { request, storage } = await startLimited({ perCaller: { requests: 1, seconds: 5 } });
  await request("/things");
  await sql`update rate_limits set expire = expire + 600000`.execute(storage.db);
  expect((await request("/things")).status).toBe(200);
  expect(retryAfter(await request("/things"))).toMatch(/^[1-5]$/);
});

test("periods that ended are deleted", async () => {
  const { request, storage } = await startLimited({ perCaller: { requests: 9, seconds: 60 } });
  await sql`insert into rate_limits values ('key:old', 1, 0)`.execute(storage.db);
  await request("/things");
  const start = performance.now();
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(performance, "now").mockReturnValue(start + 300_000);
  await request("/things");
  const keys = () => sql`select key from rate_limits`.execute(storage.db);
  await expect.poll(async () => (await keys()).rows).toHaveLength(1);
});

/** Returns the header of a 429; undefined for another status. */
function retryAfter({ status, headers }: Response): string | null | undefined {
  return status === 429 ? headers.get("Retry-After") : undefined;
}
