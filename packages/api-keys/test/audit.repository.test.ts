import { hostname, userInfo } from "node:os";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { prefixOfApiKey } from "../src/api-key.ts";
import { listAudit } from "../src/audit.repository.ts";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "../src/keys.repository.ts";
import { type Database, TABLES, temporaryDatabase } from "./tables.ts";

const DAY = 24 * 60 * 60 * 1000;
const CI = { name: "ci", environment: "development" } as const;

test("the audit trail lists changes of keys in order, with action, key, time and actor", async () => {
  const db = await temporaryDatabase();
  const before = Date.now();
  const { key } = await createApiKey(db, CI);
  const rotation = await rotateApiKey(db, 1, DAY);
  if (rotation.outcome !== "rotated") throw new Error(rotation.outcome);
  await revokeApiKey(db, 2);
  const [first, second] = [key, rotation.apiKey.key].map((whole) => ({
    keyName: "ci",
    keyPrefix: prefixOfApiKey(whole),
    actor: `${userInfo().username}@${hostname()}`,
    at: expect.any(Number) as number,
  }));
  const entries = await listAudit(db, TABLES);
  expect(entries).toStrictEqual([
    { ...first, action: "issue", keyId: 1 },
    { ...first, action: "rotate", keyId: 1 },
    { ...second, action: "issue", keyId: 2 },
    { ...second, action: "revoke", keyId: 2 },
  ]);
  const times = entries.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(before);
  expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
});

test("the audit trail has no entry for a call without effect", async () => {
  const db = await temporaryDatabase();
  await createApiKey(db, CI);
  await revokeApiKey(db, 1);
  const entries = await listAudit(db, TABLES);
  await revokeApiKey(db, 1);
  await revokeApiKey(db, 99);
  await rotateApiKey(db, 1, DAY);
  expect(await listAudit(db, TABLES)).toEqual(entries);
});

test("a change of a key is rolled back if the audit trail cannot record it", async () => {
  const db = await temporaryDatabase();
  const { key } = await createApiKey(db, CI);
  const keys = await listApiKeys(db);
  await sql`alter table audit rename to away`.execute(db);
  await expect(createApiKey(db, CI)).rejects.toThrow(/no such table: audit|relation "audit" does not exist/);
  await expect(rotateApiKey(db, 1, DAY)).rejects.toThrow(/no such table: audit|relation "audit" does not exist/);
  await expect(revokeApiKey(db, 1)).rejects.toThrow(/no such table: audit|relation "audit" does not exist/);
  expect(await listApiKeys(db)).toEqual(keys);
  await sql`alter table away rename to audit`.execute(db);
  expect(await findApiKey(db, key, Date.now())).toBeDefined();
  expect((await rotateApiKey(db, 1, DAY)).outcome).toBe("rotated");
});

test("the audit trail lists writes with changes of keys, and filters by key, time and limit", async () => {
  const db = await temporaryDatabase();
  const [one, other] = [await createApiKey(db, CI), await createApiKey(db, { ...CI, name: "other" })];
  await db
    .updateTable("audit")
    .set((row) => ({ at: row.ref("id") }))
    .execute();
  for (const [createdBy, createdAt] of [
    [other.id, 3],
    [one.id, 4],
    [one.id, 5],
    [99, 6],
  ] as const)
    await insertThing(db, createdBy, createdAt);
  await insertThing(db, null, null); // without a key
  const listed = async (filter?: Parameters<typeof listAudit>[2]) =>
    (await listAudit(db, TABLES, filter)).map(({ at, action, keyId }) => `${at} ${action} ${keyId}`);
  const all = ["1 issue 1", "2 issue 2", "3 createThing 2", "4 createThing 1", "5 createThing 1", "6 createThing 99"];
  expect(await listed()).toEqual(all);
  expect(await listed({ since: 2, limit: 2 })).toEqual(all.slice(-2));
  expect(await listed({ since: 3 })).toEqual(all.slice(2));
  expect(await listed({ keyId: 1 })).toEqual([all[0], all[3], all[4]]);
  expect(await listed({ keyId: 2, limit: 1 })).toEqual([all[2]]);
  expect(await listAudit(db, TABLES, { since: 5 })).toStrictEqual([
    { at: 5, action: "createThing", keyId: 1, keyName: "ci", keyPrefix: one.prefix, resource: "thing", resourceId: 3 },
    { at: 6, action: "createThing", keyId: 99, keyName: null, keyPrefix: null, resource: "thing", resourceId: 4 },
  ]);
});

test("the audit trail lists writes to each table with `addedBy`", async () => {
  const db = await temporaryDatabase();
  const { id: keyId } = await createApiKey(db, CI);
  await insertThing(db, keyId, 5);
  await sql`create table orders (id integer primary key, created_by integer, created_at integer)`.execute(db);
  await sql`insert into orders values (7, ${keyId}, 4), (8, null, 6)`.execute(db);
  const orders = { key: ["id"], addedBy: { operationId: "createOrder", resource: "order" } };
  const entries = await listAudit(db, { ...TABLES, orders, unsigned: { key: ["id"] } });
  expect(entries.slice(0, -1)).toMatchObject([
    { at: 4, action: "createOrder", keyId, resource: "order", resourceId: 7 },
    { at: 5, action: "createThing", keyId, resource: "thing", resourceId: 1 },
  ]);
});

async function insertThing(db: Database, created_by: number | null, created_at: number | null): Promise<void> {
  await db.insertInto("things").values({ created_by, created_at }).execute();
}
