import { createApiKey } from "@platform/api-keys/keys.repository";
import { type IdempotentRequest, once as onceOn } from "@platform/storage/idempotency.repository";
import { migrate } from "@platform/storage/migrations";
import { temporaryUrl } from "@platform/test-support/temporary";
import { describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import { insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import { type Database, opened, temporaryStorage } from "../temporary.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 21);
const REX = { name: "Rex", categoryId: 1, status: "available" } as const;
const REQUEST = { apiKeyId: 1, key: "k1", requestHash: "h1", now: NOW };

const write = (trx: Database) => insertPet(trx, REX);
const once = <Answer>(db: Database, request: IdempotentRequest, work: (trx: Database) => Promise<Answer>) =>
  onceOn((unit) => db.transaction().execute(unit), request, work);

describe("once", () => {
  test("writes the first time and replays the answer after", async () => {
    const [db] = await connections(1);
    const answer = { id: 1, ...REX };
    expect(await once(db, REQUEST, write)).toStrictEqual({ outcome: "done", answer });
    expect(await once(db, { ...REQUEST, now: NOW + DAY - 1 }, write)).toStrictEqual({ outcome: "replayed", answer });
    expect(await listPets(db, { limit: 10 })).toHaveLength(1);
  });

  test("refuses the key for another request, and writes nothing", async () => {
    const [db] = await connections(1);
    await once(db, REQUEST, write);
    expect(await once(db, { ...REQUEST, requestHash: "h2" }, write)).toStrictEqual({ outcome: "reused" });
    expect(await listPets(db, { limit: 10 })).toHaveLength(1);
  });

  test("keeps keys apart by API key and by value", async () => {
    const [db] = await connections(1);
    for (const request of [REQUEST, { ...REQUEST, apiKeyId: 2 }, { ...REQUEST, key: "K1" }]) {
      expect(await once(db, request, write)).toMatchObject({ outcome: "done" });
    }
    expect(await listPets(db, { limit: 10 })).toHaveLength(3);
  });

  test("forgets a key after 24 hours, whatever the request then", async () => {
    const [db] = await connections(1);
    await once(db, REQUEST, write);
    const later = { ...REQUEST, requestHash: "h2", now: NOW + DAY };
    expect(await once(db, later, write)).toMatchObject({ outcome: "done", answer: { id: 2 } });
    expect(await once(db, later, write)).toMatchObject({ outcome: "replayed", answer: { id: 2 } });
  });

  test("leaves neither animal nor key when the write throws", async () => {
    const [db] = await connections(1);
    const failing = async (trx: Database) => {
      await write(trx);
      throw new Error("no");
    };
    await expect(once(db, REQUEST, failing)).rejects.toThrow("no");
    expect(await listPets(db, { limit: 10 })).toEqual([]);
    expect(await once(db, REQUEST, write)).toMatchObject({ outcome: "done" });
  });

  test("replays what an earlier version kept under a hash of its own, as such", async () => {
    const [db] = await connections(1);
    await once(db, { ...REQUEST, requestHash: "h0" }, write);
    const answer = { id: 1, ...REX };
    expect(await once(db, { ...REQUEST, earlierHash: "h0" }, write)).toStrictEqual({ outcome: "earlier", answer });
    expect(await once(db, { ...REQUEST, earlierHash: "h2" }, write)).toStrictEqual({ outcome: "reused" });
    expect(await listPets(db, { limit: 10 })).toHaveLength(1);
  });

  test("leaves neither animal nor key when the answer is no success", async () => {
    const { write: writeOn, db } = await temporaryStorage();
    await createApiKey(db, { name: "one", environment: "development" });
    const attempt = (isSuccess: boolean) => onceOn(writeOn, REQUEST, write, () => isSuccess);
    expect(await attempt(false)).toMatchObject({ outcome: "done", answer: REX });
    expect(await listPets(db, { limit: 10 })).toEqual([]);
    expect(await attempt(true)).toMatchObject({ outcome: "done" });
    expect(await attempt(false)).toMatchObject({ outcome: "replayed" });
    expect(await listPets(db, { limit: 10 })).toHaveLength(1);
  });

  test("deletes expired keys, some at a time", async () => {
    const [db] = await connections(1);
    const kept = { api_key_id: REQUEST.apiKeyId, request_hash: REQUEST.requestHash, answer: "{}" };
    const old = Array.from({ length: 130 }, (_, n) => ({ ...kept, key: `old${n}`, created_at: NOW + n }));
    await db.insertInto("idempotency_keys").values(old).execute();
    await once(db, { ...REQUEST, key: "new1", now: NOW + 129 + DAY }, write);
    expect(await keysKept(db)).toHaveLength(31);
    await once(db, { ...REQUEST, key: "new2", now: NOW + 129 + DAY }, write);
    expect(await keysKept(db)).toEqual(["new1", "new2"]);
  });

  test.each([1, 2])("adds one animal for twenty duplicates at once, on %i connections", async (count) => {
    const databases = await connections(count);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => once(databases[n % count] ?? databases[0], REQUEST, write)),
    );
    expect(results.filter((result) => result.outcome === "done")).toHaveLength(1);
    expect(results.filter((result) => result.outcome === "replayed")).toHaveLength(19);
    expect(results).toEqual(results.map(({ outcome }) => ({ outcome, answer: { id: 1, ...REX } })));
    expect(await listPets(databases[0], { limit: 10 })).toHaveLength(1);
  });
});

/** Connections to one fresh database with two API keys. */
async function connections(count: number): Promise<[Database, ...Database[]]> {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  for (const name of ["one", "two"]) await createApiKey(db, { name, environment: "development" });
  return [db, ...Array.from({ length: count - 1 }, () => opened(url))];
}

async function keysKept(db: Database): Promise<string[]> {
  const rows = await db.selectFrom("idempotency_keys").select("key").orderBy("key").execute();
  return rows.map((row) => row.key);
}
