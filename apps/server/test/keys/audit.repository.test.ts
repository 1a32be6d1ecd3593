import { hostname, userInfo } from "node:os";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { listAudit } from "../../src/keys/audit.repository.ts";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "../../src/keys/keys.repository.ts";
import { temporaryDatabase } from "../temporary.ts";

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
  const entries = await listAudit(db);
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
  const entries = await listAudit(db);
  await revokeApiKey(db, 1);
  await revokeApiKey(db, 99);
  await rotateApiKey(db, 1, DAY);
  expect(await listAudit(db)).toEqual(entries);
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
