import { SERVICE } from "@openapi-operations/command-line/name";
import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { describe, expect, test } from "vitest";
import { generateApiKey, prefixOfApiKey } from "../src/api-key.ts";
import {
  createApiKey,
  findApiKey,
  type IssuedApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  saveKeyUses,
} from "../src/keys.repository.ts";
import { type Database, MIGRATIONS, opened, temporaryDatabase } from "./tables.ts";

const DAY = 24 * 60 * 60 * 1000;
const CI = { name: "ci", environment: "development" } as const;

describe("createApiKey", () => {
  test("creates a key with every scope and no expiry by default", async () => {
    const db = await temporaryDatabase();
    const { key, createdAt, ...rest } = await createApiKey(db, CI);
    expect(Math.abs(Date.now() - createdAt)).toBeLessThan(10_000);
    expect(rest).toStrictEqual({
      id: 1,
      name: "ci",
      prefix: prefixOfApiKey(key),
      scopes: ["*"],
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(await findApiKey(db, key, Date.now())).toStrictEqual({
      id: 1,
      name: "ci",
      scopes: ["*"],
      expiresAt: null,
    });
  });

  test("creates a key with only the given scopes", async () => {
    const db = await temporaryDatabase();
    const { key } = await createApiKey(db, { ...CI, scopes: ["things:read"] });
    expect((await findApiKey(db, key, Date.now()))?.scopes).toEqual(["things:read"]);
  });
});

describe("findApiKey", () => {
  test("returns undefined for a malformed or unknown key", async () => {
    const db = await temporaryDatabase();
    await createApiKey(db, CI);
    for (const key of ["", "ci", `${SERVICE.keyPrefix}_test_`, generateApiKey("development")]) {
      expect(await findApiKey(db, key, Date.now())).toBeUndefined();
    }
  });

  test("does not query for a malformed key", async () => {
    const closed = opened(await temporaryUrl());
    expect(await findApiKey(closed, `${SERVICE.keyPrefix}_test_x`, Date.now())).toBeUndefined(); // a query would fail without a table
    await expect(async () => findApiKey(closed, generateApiKey("development"), Date.now())).rejects.toThrow(
      /no such table|relation "api_keys" does not exist/,
    );
  });

  test("finds a key until the millisecond of its expiry", async () => {
    const db = await temporaryDatabase();
    const expiresAt = Date.now() + 1_000;
    const { key } = await createApiKey(db, { ...CI, expiresAt });
    expect(await findApiKey(db, key, expiresAt - 1)).toBeDefined();
    expect(await findApiKey(db, key, expiresAt)).toBeUndefined();
  });
});

describe("revokeApiKey", () => {
  test("ends one key at once for every connection, and returns the outcome", async () => {
    const url = await temporaryUrl();
    const [db, other] = [opened(url), opened(url)];
    await migrate(db, MIGRATIONS);
    const [first, second] = [await createApiKey(db, CI), await createApiKey(db, CI)];
    expect(await findApiKey(other, first.key, Date.now())).toBeDefined();
    expect(await revokeApiKey(db, first.id)).toBe("revoked");
    expect(await findApiKey(other, first.key, Date.now())).toBeUndefined();
    expect(await findApiKey(other, second.key, Date.now())).toBeDefined();

    const [{ revokedAt } = { revokedAt: null }] = await listApiKeys(db);
    expect(revokedAt).toBeTypeOf("number");
    expect(await revokeApiKey(db, first.id)).toBe("already revoked");
    expect(await revokeApiKey(db, 99)).toBe("not found");
    expect((await listApiKeys(db)).map((key) => key.revokedAt)).toEqual([revokedAt, null]);
  });
});

test("listApiKeys returns every entry, never with the key or its hash", async () => {
  const db = await temporaryDatabase();
  const { key: _, ...first } = await createApiKey(db, CI);
  const { key: __, ...second } = await createApiKey(db, { ...CI, name: "ops" });
  expect(await listApiKeys(db)).toStrictEqual([first, second]);
});

describe("rotateApiKey", () => {
  test("creates a key with the same name and scopes; the old one ends after the overlap", async () => {
    const db = await temporaryDatabase();
    const old = await createApiKey(db, { name: "shop", environment: "production", scopes: ["things:read"] });
    const before = Date.now();
    const { apiKey, oldExpiresAt } = await rotated(db, old.id, DAY);
    expect(apiKey).toMatchObject({ id: 2, name: "shop", scopes: ["things:read"], expiresAt: null });
    expect(apiKey.key).toMatch(new RegExp(`^${SERVICE.keyPrefix}_live_`));
    expect(apiKey.key).not.toBe(old.key);
    expect(oldExpiresAt - before - DAY).toBeGreaterThanOrEqual(0);
    expect(oldExpiresAt - before - DAY).toBeLessThan(10_000);
    expect(await findApiKey(db, old.key, oldExpiresAt - 1)).toMatchObject({ id: 1, scopes: ["things:read"] });
    expect(await findApiKey(db, old.key, oldExpiresAt)).toBeUndefined();
    expect(await findApiKey(db, apiKey.key, oldExpiresAt)).toMatchObject({ id: 2, scopes: ["things:read"] });
  });

  test("creates a key with the lifetime of the old one, and does not extend the old one", async () => {
    const db = await temporaryDatabase();
    const old = await createApiKey(db, { ...CI, expiresAt: Date.now() + DAY / 2 });
    const { apiKey, oldExpiresAt } = await rotated(db, old.id, DAY);
    expect(oldExpiresAt).toBe(old.expiresAt);
    expect(apiKey.expiresAt! - apiKey.createdAt).toBeLessThanOrEqual(old.expiresAt! - old.createdAt);
    expect(apiKey.expiresAt).toBeGreaterThanOrEqual(old.expiresAt!);
  });

  test("ends the old key at once without an overlap", async () => {
    const db = await temporaryDatabase();
    const { id, key } = await createApiKey(db, CI);
    const { apiKey } = await rotated(db, id, 0);
    expect(await findApiKey(db, key, Date.now())).toBeUndefined();
    expect(await findApiKey(db, apiKey.key, Date.now())).toBeDefined();
    expect(await rotateApiKey(db, id, 0)).toEqual({ outcome: "rotated before" });
  });

  test("creates no key if the old one is unknown, revoked, expired or already rotated", async () => {
    const db = await temporaryDatabase();
    const [revoked, expired, before] = [
      await createApiKey(db, CI),
      await createApiKey(db, { ...CI, expiresAt: Date.now() }),
      await createApiKey(db, CI),
    ];
    await revokeApiKey(db, revoked.id);
    await rotateApiKey(db, before.id, DAY);
    const keys = await listApiKeys(db);
    const outcomes = [];
    for (const id of [99, revoked.id, expired.id, before.id]) outcomes.push((await rotateApiKey(db, id, DAY)).outcome);
    expect(outcomes).toEqual(["not found", "revoked", "expired", "rotated before"]);
    expect(await listApiKeys(db)).toEqual(keys);
  });

  test("succeeds only once among concurrent connections", async () => {
    const url = await temporaryUrl();
    await migrate(opened(url), MIGRATIONS);
    const { id } = await createApiKey(opened(url), CI);
    const rotations = await Promise.all(Array.from({ length: 8 }, () => rotateApiKey(opened(url), id, DAY)));
    expect(rotations.map(({ outcome }) => outcome).toSorted()).toEqual([
      "rotated",
      ...Array<string>(7).fill("rotated before"),
    ]);
    expect(await listApiKeys(opened(url))).toHaveLength(2);
  });
});

test("saveKeyUses keeps the latest use of each key, even if an earlier use is saved later", async () => {
  const db = await temporaryDatabase();
  for (const name of ["one", "two", "three"]) await createApiKey(db, { ...CI, name });
  const saved = async (...uses: [number, number][]) => {
    await saveKeyUses(db, new Map(uses));
    return (await listApiKeys(db)).map(({ lastUsedAt }) => lastUsedAt);
  };
  const at = Date.UTC(2030, 0, 1);
  expect(await saved([1, at], [2, at + 5], [99, at])).toEqual([at, at + 5, null]);
  expect(await saved([2, at + 4], [1, at + 1])).toEqual([at + 1, at + 5, null]);
});

async function rotated(
  db: Database,
  id: number,
  overlap: number,
): Promise<{ apiKey: IssuedApiKey; oldExpiresAt: number }> {
  const rotation = await rotateApiKey(db, id, overlap);
  if (rotation.outcome !== "rotated") throw new Error(rotation.outcome);
  return rotation;
}
