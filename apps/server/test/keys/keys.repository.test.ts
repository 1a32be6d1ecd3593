import { describe, expect, test } from "vitest";
import { migrate } from "../../src/migrations.ts";
import { generateApiKey } from "../../src/keys/api-key.ts";
import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from "../../src/keys/keys.repository.ts";
import { opened, temporaryDatabase, temporaryUrl } from "../temporary.ts";

const CI = { name: "ci", environment: "development" } as const;

describe("createApiKey", () => {
  test("makes a key with every scope and no expiry", async () => {
    const db = await temporaryDatabase();
    const { key, createdAt, ...rest } = await createApiKey(db, CI);
    expect(Math.abs(Date.now() - createdAt)).toBeLessThan(10_000);
    expect(rest).toStrictEqual({
      id: 1,
      name: "ci",
      prefix: key.slice(0, 13),
      scopes: ["pets:read", "pets:write"],
      expiresAt: null,
      revokedAt: null,
    });
    expect(await findApiKey(db, key, Date.now())).toStrictEqual({
      id: 1,
      name: "ci",
      scopes: ["pets:read", "pets:write"],
    });
  });

  test("gives the key only the scopes asked for", async () => {
    const db = await temporaryDatabase();
    const { key } = await createApiKey(db, { ...CI, scopes: ["pets:read"] });
    expect((await findApiKey(db, key, Date.now()))?.scopes).toEqual(["pets:read"]);
  });
});

describe("findApiKey", () => {
  test("finds nothing for a key that is malformed or unknown", async () => {
    const db = await temporaryDatabase();
    await createApiKey(db, CI);
    for (const key of ["", "ci", "pst_test_", generateApiKey("development")]) {
      expect(await findApiKey(db, key, Date.now())).toBeUndefined();
    }
  });

  test("does not query for a malformed key", async () => {
    const closed = opened(await temporaryUrl());
    expect(await findApiKey(closed, "pst_test_x", Date.now())).toBeUndefined(); // there is no table to query
    await expect(findApiKey(closed, generateApiKey("development"), Date.now())).rejects.toThrow(
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
  test("ends one key, at once for every connection, and says what it found", async () => {
    const url = await temporaryUrl();
    const [db, other] = [opened(url), opened(url)];
    await migrate(db);
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

test("listApiKeys shows every key, and never the key itself or its hash", async () => {
  const db = await temporaryDatabase();
  const { key: _, ...first } = await createApiKey(db, CI);
  const { key: __, ...second } = await createApiKey(db, { ...CI, name: "ops" });
  expect(await listApiKeys(db)).toStrictEqual([first, second]);
});
