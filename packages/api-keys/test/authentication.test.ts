import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import type { Request } from "express";
import { afterEach, describe, expect, test, vi } from "vitest";
import { generateApiKey, hashApiKey } from "../src/api-key.ts";
import { authentication } from "../src/authentication.ts";
import { createApiKey, expectValidScopes, revokeApiKey } from "../src/keys.repository.ts";
import { MIGRATIONS, opened } from "./tables.ts";

describe("authentication", () => {
  afterEach(() => void vi.useRealTimers());

  /** Returns `authentication` over a fresh database. The test sets `data.version`. `make` creates keys that expire in a minute. */
  async function setUp(maxCachedKeys?: number) {
    const db = opened(await temporaryUrl());
    await migrate(db, MIGRATIONS);
    const make = () => createApiKey(db, { name: "k", environment: "development", expiresAt: Date.now() + 60_000 });
    const data = { version: "1" as string | undefined };
    const uses = { record: vi.fn<(id: number) => void>(), close: async () => {} };
    const authenticateRequest = authentication(db, uses, "development", maxCachedKeys);
    return {
      db,
      data,
      uses,
      make,
      authenticate: async (key: string) =>
        authenticateRequest(key, { res: { locals: { credentialsVersion: data.version } } } as unknown as Request),
    };
  }

  test("a valid key is cached until the version changes or its expiry", async () => {
    const { db, data, uses, make, authenticate } = await setUp();
    const { key, id } = await make();
    expect(await authenticate(key)).toMatchObject({ caller: { id } }); // learns the version
    expect(await authenticate(key)).toMatchObject({ caller: { id } }); // is cached
    await revokeApiKey(db, id);
    expect(await authenticate(key)).toMatchObject({ caller: { id } }); // the database was not queried
    expect(uses.record).toHaveBeenCalledTimes(3);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_001 });
    expect(await authenticate(key)).toBeUndefined();
    vi.useRealTimers();
    data.version = "2";
    expect(await authenticate(key)).toBeUndefined();
  });

  test("a cached expired key is validated again if the clock is set back", async () => {
    const { make, uses, authenticate } = await setUp();
    const { key, id } = await make();
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: now + 60_001 });
    expect(await authenticate(key)).toBeUndefined(); // learns the version
    expect(await authenticate(key)).toBeUndefined(); // is cached
    expect(uses.record).not.toHaveBeenCalled();
    vi.setSystemTime(now);
    expect(await authenticate(key)).toMatchObject({ caller: { id } });
    vi.setSystemTime(now + 60_001);
    expect(await authenticate(key)).toBeUndefined();
  });

  test("an unknown key is cached, but not a malformed key or a failed look-up", async () => {
    const { db, data, make, authenticate } = await setUp(1);
    const { key, id } = await make();
    const unknown = generateApiKey("development");
    expect(await authenticate(unknown)).toBeUndefined();
    await db
      .updateTable("api_keys")
      .set({ hash: hashApiKey(unknown) })
      .execute();
    expect(await authenticate(unknown)).toBeUndefined(); // the database was not queried
    expect(await authenticate("x".repeat(10_000))).toBeUndefined(); // too malformed to be cached
    expect(await authenticate(unknown)).toBeUndefined();
    expect(await authenticate(generateApiKey("development"))).toBeUndefined(); // evicts the first key, because only one is cached
    expect(await authenticate(unknown)).toMatchObject({ caller: { id } });
    await db
      .updateTable("api_keys")
      .set({ hash: hashApiKey(key) })
      .execute();
    expect(await authenticate(unknown)).toMatchObject({ caller: { id } }); // valid keys are cached separately

    data.version = "2";
    expect(await authenticate(unknown)).toBeUndefined();
    await db.schema.alterTable("api_keys").renameTo("away").execute();
    await expect(authenticate(key)).rejects.toThrow("could not be looked up");
    await db.schema.alterTable("away").renameTo("api_keys").execute();
    expect(await authenticate(key)).toMatchObject({ caller: { id } });
  });

  test("no key is cached without a data version", async () => {
    const { db, data, make, authenticate } = await setUp();
    data.version = undefined;
    const { key, id } = await make();
    expect(await authenticate(key)).toBeDefined();
    await revokeApiKey(db, id);
    expect(await authenticate(key)).toBeUndefined();
  });

  test("a key is not cached if a commit happens during its look-up", async () => {
    const { db, data, make, authenticate } = await setUp();
    const { key, id } = await make();
    let waiting: ReturnType<typeof authenticate>[] = [];
    await db.transaction().execute(async (trx) => {
      waiting = [authenticate(key)];
      data.version = "2";
      waiting.push(authenticate(generateApiKey("development")));
      await trx.selectFrom("api_keys").selectAll().execute();
    });
    expect(await waiting[0]).toMatchObject({ caller: { id } });
    await waiting[1];
    await revokeApiKey(db, id);
    expect(await authenticate(key)).toBeUndefined();
  });
});

describe("scopes", () => {
  test.each(["pets:read", "https://example.com/auth/pets.read", "!", "a#b", "[x]", "~"])(
    "expectValidScopes accepts %o",
    (scope) => {
      expect(() => expectValidScopes(["pets:read", scope])).not.toThrow();
    },
  );

  test.each(["*", "", "pets read", "pets,read", 'pets"', "pets\\", "päts", "a\n"])(
    "expectValidScopes rejects %o",
    (scope) => {
      expect(() => expectValidScopes(["pets:read", scope])).toThrow(
        `No API key can have the scope ${JSON.stringify(scope)}`,
      );
    },
  );
});
