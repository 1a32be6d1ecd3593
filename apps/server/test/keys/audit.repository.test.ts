import { hostname, userInfo } from "node:os";
import { listAudit } from "@platform/api-keys/audit.repository";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "@platform/api-keys/keys.repository";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { TABLES } from "../../src/registrations.ts";
import { insertPet } from "../../src/resources/pets/pets.repository.ts";
import { json, startService } from "../../testing/service.ts";
import { opened, temporaryDatabase } from "../temporary.ts";

const DAY = 24 * 60 * 60 * 1000;
const CI = { name: "ci", environment: "development" } as const;

test("the audit trail tells what was done to which key, when and by whom, in order", async () => {
  const db = await temporaryDatabase();
  const before = Date.now();
  const { key } = await createApiKey(db, CI);
  const rotation = await rotateApiKey(db, 1, DAY);
  if (rotation.outcome !== "rotated") throw new Error(rotation.outcome);
  await revokeApiKey(db, 2);
  const [first, second] = [key, rotation.apiKey.key].map((whole) => ({
    keyName: "ci",
    keyPrefix: whole.slice(0, 13),
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

test("the audit trail has nothing of what changed nothing", async () => {
  const db = await temporaryDatabase();
  await createApiKey(db, CI);
  await revokeApiKey(db, 1);
  const entries = await listAudit(db, TABLES);
  await revokeApiKey(db, 1);
  await revokeApiKey(db, 99);
  await rotateApiKey(db, 1, DAY);
  expect(await listAudit(db, TABLES)).toEqual(entries);
});

test("what the audit trail cannot record is taken back", async () => {
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

test("each animal has the key that added it and the time, also of those committed together, and no response has them", async () => {
  await using service = await startService();
  const db = opened(service.databaseUrl);
  const keys = [await createApiKey(db, CI), await createApiKey(db, CI), await createApiKey(db, CI)];
  const before = Date.now();
  const add = async (name: string, key: string, headers = {}) => {
    const response = await service.request("/pets", { ...json({ name, categoryId: 1 }, headers), key });
    expect(await response.json()).toEqual({ id: expect.any(Number), name, categoryId: 1, status: "available" });
    return response.headers.get("Idempotency-Replayed");
  };
  const names = Array.from({ length: 20 }, (_, at) => `pet ${at}`);
  const requests = names.flatMap((name) => keys.map(({ id, key }) => [`${name} of ${id}`, key] as const));
  await Promise.all(requests.map(([name, key]) => add(name, key)));
  await Promise.all(keys.map(({ id, key }) => add(`repeated of ${id}`, key, { "Idempotency-Key": "shared" })));
  const replayed = keys.map(({ id, key }) => add(`repeated of ${id}`, key, { "Idempotency-Key": "shared" }));
  expect(await Promise.all(replayed)).toEqual(["true", "true", "true"]);

  const rows = await db.selectFrom("pets").selectAll().execute();
  const creators = Object.fromEntries(rows.map(({ name, created_by }) => [name, created_by]));
  const expected = [...requests.map(([name]) => name), ...keys.map(({ id }) => `repeated of ${id}`)];
  expect(rows).toHaveLength(expected.length);
  expect(creators).toEqual(Object.fromEntries(expected.map((name) => [name, Number(name.split(" of ")[1])])));
  for (const { created_at } of rows) {
    expect(created_at).toBeGreaterThanOrEqual(before);
    expect(created_at).toBeLessThanOrEqual(Date.now());
  }
  const listed = (await (await service.request("/pets?limit=100")).json()) as object[];
  expect(listed.map((pet) => Object.keys(pet).join())).toEqual(rows.map(() => "id,name,categoryId,status"));
});

test("the audit trail tells writes among what was done to keys, by key, by time and the latest of them", async () => {
  const db = await temporaryDatabase();
  const [one, other] = [await createApiKey(db, CI), await createApiKey(db, { ...CI, name: "other" })];
  await db
    .updateTable("audit")
    .set((row) => ({ at: row.ref("id") }))
    .execute();
  const pet = { name: "Rex", categoryId: 1, status: "sold" } as const;
  for (const [createdBy, createdAt] of [
    [other.id, 3],
    [one.id, 4],
    [one.id, 5],
    [99, 6],
  ] as const)
    await insertPet(db, { ...pet, createdBy, createdAt });
  await insertPet(db, pet); // by nobody
  const told = async (filter?: Parameters<typeof listAudit>[2]) =>
    (await listAudit(db, TABLES, filter)).map(({ at, action, keyId }) => `${at} ${action} ${keyId}`);
  const all = ["1 issue 1", "2 issue 2", "3 createPet 2", "4 createPet 1", "5 createPet 1", "6 createPet 99"];
  expect(await told()).toEqual(all);
  expect(await told({ since: 2, limit: 2 })).toEqual(all.slice(-2));
  expect(await told({ since: 3 })).toEqual(all.slice(2));
  expect(await told({ keyId: 1 })).toEqual([all[0], all[3], all[4]]);
  expect(await told({ keyId: 2, limit: 1 })).toEqual([all[2]]);
  expect(await listAudit(db, TABLES, { since: 5 })).toStrictEqual([
    { at: 5, action: "createPet", keyId: 1, keyName: "ci", keyPrefix: one.prefix, resource: "pet", resourceId: 3 },
    { at: 6, action: "createPet", keyId: 99, keyName: null, keyPrefix: null, resource: "pet", resourceId: 4 },
  ]);
});

test("the audit trail tells writes to each table that says what adds its rows", async () => {
  const db = await temporaryDatabase();
  const { id: keyId } = await createApiKey(db, CI);
  await insertPet(db, { name: "Rex", categoryId: 1, status: "sold", createdBy: keyId, createdAt: 5 });
  await sql`create table things (id integer primary key, created_by integer, created_at integer)`.execute(db);
  await sql`insert into things values (7, ${keyId}, 4), (8, null, 6)`.execute(db);
  const things = { key: ["id"], addedBy: { operationId: "createThing", resource: "thing" } };
  const entries = await listAudit(db, { ...TABLES, things, unsigned: { key: ["id"] } });
  expect(entries.slice(0, -1)).toMatchObject([
    { at: 4, action: "createThing", keyId, resource: "thing", resourceId: 7 },
    { at: 5, action: "createPet", keyId, resource: "pet", resourceId: 1 },
  ]);
});
