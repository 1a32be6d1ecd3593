import { temporaryUrl } from "@platform/test-support/temporary";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { expectError, startService, type TestService } from "../testing/service.ts";
import { opened } from "./temporary.ts";

const LIMITS = { RATE_LIMIT: "6/60", AUTH_FAILURE_LIMIT: "4/60" };

/** Two servers on one database. */
async function twoServices(): Promise<[TestService, TestService]> {
  const DATABASE_URL = await temporaryUrl();
  return [await startService({ ...LIMITS, DATABASE_URL }), await startService({ ...LIMITS, DATABASE_URL })];
}

test("two servers on one database count the requests of a key together", async () => {
  const [first, second] = await twoServices();
  await using _first = first;
  await using _second = second;
  const key = first.key;
  const answers = await Promise.all(
    [first, second, first, second, first, second].map(({ request }) => request("/pets", { key })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  const left = answers.map(({ headers }) => /r=(\d)/.exec(headers.get("RateLimit")!)![1]);
  expect(new Set(left)).toEqual(new Set(["0", "1", "2", "3", "4", "5"]));
  for (const { request } of [first, second, first]) {
    const refused = await request("/pets", { key });
    expect(refused.headers.get("Retry-After")).toMatch(/^(5\d|60)$/);
    await expectError(refused, 429, "rate_limited");
  }
  expect((await second.request("/pets")).status).toBe(200); // with its own key
});

test("two servers on one database count the failures of an address together", async () => {
  const [first, second] = await twoServices();
  await using _first = first;
  await using _second = second;
  for (const { request } of [first, second, first, second])
    await expectError(await request("/pets", { key: "wrong" }), 401, "unauthorized");
  for (const { request } of [first, second])
    await expectError(await request("/pets", { key: "wrong" }), 429, "rate_limited");
  expect((await first.request("/pets")).status).toBe(200);
});

test("what cannot be counted is answered 503 and not let in, and served once it can be again", async () => {
  await using service = await startService(LIMITS);
  const db = opened(service.databaseUrl);
  await sql`alter table rate_limits rename to away`.execute(db);
  for (const key of [service.key, "wrong"]) {
    const refused = await service.request("/pets", { key });
    expect(refused.headers.get("Retry-After")).toBe("1");
    await expectError(refused, 503, "unavailable");
  }
  await sql`alter table away rename to rate_limits`.execute(db);
  expect((await service.request("/pets")).status).toBe(200);
});

test("a count begins anew when its time is over, and a server need not have seen it begin", async () => {
  const DATABASE_URL = await temporaryUrl();
  await using first = await startService({ DATABASE_URL, RATE_LIMIT: "1/1" });
  await using second = await startService({ DATABASE_URL, RATE_LIMIT: "1/1" });
  const { key } = first;
  await first.request("/pets", { key });
  await expectError(await second.request("/pets", { key }), 429, "rate_limited");
  await expect.poll(async () => (await second.request("/pets", { key })).status, { timeout: 5_000 }).toBe(200);
});
