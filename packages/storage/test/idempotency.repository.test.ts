import { temporaryUrl } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { type IdempotentRequest, withIdempotencyKey as onceOn } from "../src/idempotency/idempotency.repository.ts";
import { migrate } from "../src/migrations.ts";
import { type Database, insertThing, listThings, MIGRATIONS, opened, temporaryStorage } from "./things.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 21);
const CUP = { name: "cup", size: 1 };
const REQUEST = { apiKeyId: 1, key: "k1", requestHash: "h1", now: NOW };

const write = (trx: Database) => insertThing(trx, CUP);
const once = <StoredResponse>(
  db: Database,
  request: IdempotentRequest,
  work: (trx: Database) => Promise<StoredResponse>,
) => onceOn((perform) => db.transaction().execute(perform), request, work);

describe("withIdempotencyKey", () => {
  test("writes at the first request, and replays the response after that", async () => {
    const [db] = await connections(1);
    const response = { id: 1, ...CUP };
    expect(await once(db, REQUEST, write)).toStrictEqual({ outcome: "done", response });
    expect(await once(db, { ...REQUEST, now: NOW + DAY - 1 }, write)).toStrictEqual({ outcome: "replayed", response });
    expect(await listThings(db)).toHaveLength(1);
  });

  test("rejects the key for another request, and writes nothing", async () => {
    const [db] = await connections(1);
    await once(db, REQUEST, write);
    expect(await once(db, { ...REQUEST, requestHash: "h2" }, write)).toStrictEqual({ outcome: "reused" });
    expect(await listThings(db)).toHaveLength(1);
  });

  test("distinguishes keys by API key and by value", async () => {
    const [db] = await connections(1);
    for (const request of [REQUEST, { ...REQUEST, apiKeyId: 2 }, { ...REQUEST, key: "K1" }]) {
      expect(await once(db, request, write)).toMatchObject({ outcome: "done" });
    }
    expect(await listThings(db)).toHaveLength(3);
  });

  test("forgets a key after 24 hours, and accepts it for any request", async () => {
    const [db] = await connections(1);
    await once(db, REQUEST, write);
    const later = { ...REQUEST, requestHash: "h2", now: NOW + DAY };
    expect(await once(db, later, write)).toMatchObject({ outcome: "done", response: { id: 2 } });
    expect(await once(db, later, write)).toMatchObject({ outcome: "replayed", response: { id: 2 } });
  });

  test("stores neither thing nor key if the write throws", async () => {
    const [db] = await connections(1);
    const failing = async (trx: Database) => {
      await write(trx);
      throw new Error("no");
    };
    await expect(once(db, REQUEST, failing)).rejects.toThrow("no");
    expect(await listThings(db)).toEqual([]);
    expect(await once(db, REQUEST, write)).toMatchObject({ outcome: "done" });
  });

  test("fails with the error of the database, unless another request holds the key", async () => {
    const [db] = await connections(1);
    await expect(once(db, { ...REQUEST, apiKeyId: 99 }, write)).rejects.toThrow(/foreign key/i);
  });

  test('replays a response that an earlier version stored under its own hash, with the outcome "earlier"', async () => {
    const [db] = await connections(1);
    await once(db, { ...REQUEST, requestHash: "h0" }, write);
    const response = { id: 1, ...CUP };
    expect(await once(db, { ...REQUEST, earlierHash: "h0" }, write)).toStrictEqual({ outcome: "earlier", response });
    expect(await once(db, { ...REQUEST, earlierHash: "h2" }, write)).toStrictEqual({ outcome: "reused" });
    expect(await listThings(db)).toHaveLength(1);
  });

  test("stores neither thing nor key if the response is not a success", async () => {
    const { write: writeOn, db } = await temporaryStorage();
    await writeOn((trx) => trx.insertInto("api_keys").values({ name: "one" }).execute());
    const attempt = (isSuccess: boolean) => onceOn(writeOn, REQUEST, write, () => isSuccess);
    expect(await attempt(false)).toMatchObject({ outcome: "done", response: CUP });
    expect(await listThings(db)).toEqual([]);
    expect(await attempt(true)).toMatchObject({ outcome: "done" });
    expect(await attempt(false)).toMatchObject({ outcome: "replayed" });
    expect(await listThings(db)).toHaveLength(1);
  });

  test("deletes a limited number of expired keys at each call", async () => {
    const [db] = await connections(1);
    const kept = { api_key_id: REQUEST.apiKeyId, request_hash: REQUEST.requestHash, answer: "{}" };
    const old = Array.from({ length: 130 }, (_, n) => ({ ...kept, key: `old${n}`, created_at: NOW + n }));
    await db.insertInto("idempotency_keys").values(old).execute();
    await once(db, { ...REQUEST, key: "new1", now: NOW + 129 + DAY }, write);
    expect(await keysKept(db)).toHaveLength(31);
    await once(db, { ...REQUEST, key: "new2", now: NOW + 129 + DAY }, write);
    expect(await keysKept(db)).toEqual(["new1", "new2"]);
  });

  test.each([1, 2])("adds one thing for twenty concurrent duplicates, on %i connections", async (count) => {
    const databases = await connections(count);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => once(databases[n % count] ?? databases[0], REQUEST, write)),
    );
    expect(results.filter((result) => result.outcome === "done")).toHaveLength(1);
    expect(results.filter((result) => result.outcome === "replayed")).toHaveLength(19);
    expect(results).toEqual(results.map(({ outcome }) => ({ outcome, response: { id: 1, ...CUP } })));
    expect(await listThings(databases[0])).toHaveLength(1);
  });
});

/** Opens connections to one fresh database with two API keys. */
async function connections(count: number): Promise<[Database, ...Database[]]> {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  await db
    .insertInto("api_keys")
    .values([{ name: "one" }, { name: "two" }])
    .execute();
  return [db, ...Array.from({ length: count - 1 }, () => opened(url))];
}

async function keysKept(db: Database): Promise<string[]> {
  const rows = await db.selectFrom("idempotency_keys").select("key").orderBy("key").execute();
  return rows.map((row) => row.key);
}
