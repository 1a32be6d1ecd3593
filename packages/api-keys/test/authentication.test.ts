import { createState } from "@platform/service/request-state";
import { migrate } from "@platform/storage/migrations";
import { temporaryUrl } from "@platform/test-support/temporary";
import type { Request, Response } from "express";
import { afterEach, expect, test, vi } from "vitest";
import { generateApiKey, hashApiKey } from "../src/api-key.ts";
import { authentication } from "../src/authentication.ts";
import { createApiKey, revokeApiKey } from "../src/keys.repository.ts";
import { MIGRATIONS, opened } from "./tables.ts";

afterEach(() => void vi.useRealTimers());

/** Judges by a database under a version that the test gives, of a key that ends in a minute. */
async function judging(kept?: number) {
  const db = opened(await temporaryUrl());
  await migrate(db, MIGRATIONS);
  const make = () => createApiKey(db, { name: "k", environment: "development", expiresAt: Date.now() + 60_000 });
  const data = { version: 1 as number | undefined };
  const uses = { record: vi.fn<(id: number) => void>(), close: async () => {} };
  const judge = authentication(db, uses, kept);
  const response = {} as Response;
  return {
    db,
    data,
    uses,
    make,
    judge: async (key: string) => {
      createState(response, {}).dataVersion = data.version;
      return judge(key, { res: response } as Request);
    },
  };
}

test("a looked-up key is cached while nothing was committed, and ends with the key all the same", async () => {
  const { db, data, uses, make, judge } = await judging();
  const { key, id } = await make();
  expect(await judge(key)).toMatchObject({ caller: { id } }); // tells the version
  expect(await judge(key)).toMatchObject({ caller: { id } }); // is kept
  await revokeApiKey(db, id);
  expect(await judge(key)).toMatchObject({ caller: { id } }); // so the database was not asked
  expect(uses.record).toHaveBeenCalledTimes(3);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_001 });
  expect(await judge(key)).toBeUndefined();
  vi.useRealTimers();
  data.version = 2;
  expect(await judge(key)).toBeUndefined();
});

test("a key refused as expired is judged anew when the clock is set back, though nothing was committed", async () => {
  const { make, uses, judge } = await judging();
  const { key, id } = await make();
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: now + 60_001 });
  expect(await judge(key)).toBeUndefined(); // tells the version
  expect(await judge(key)).toBeUndefined(); // is kept
  expect(uses.record).not.toHaveBeenCalled();
  vi.setSystemTime(now);
  expect(await judge(key)).toMatchObject({ caller: { id } });
  vi.setSystemTime(now + 60_001);
  expect(await judge(key)).toBeUndefined();
});

test("that a key gives no entry is kept as well, but for what cannot be a key, and a failure is not", async () => {
  const { db, data, make, judge } = await judging(1);
  const { key, id } = await make();
  const unknown = generateApiKey("development");
  expect(await judge(unknown)).toBeUndefined();
  await db
    .updateTable("api_keys")
    .set({ hash: hashApiKey(unknown) })
    .execute();
  expect(await judge(unknown)).toBeUndefined(); // so the database was not asked
  expect(await judge("x".repeat(10_000))).toBeUndefined(); // takes the place of none that is kept
  expect(await judge(unknown)).toBeUndefined();
  expect(await judge(generateApiKey("development"))).toBeUndefined(); // does, as one is kept
  expect(await judge(unknown)).toMatchObject({ caller: { id } });
  await db
    .updateTable("api_keys")
    .set({ hash: hashApiKey(key) })
    .execute();
  expect(await judge(unknown)).toMatchObject({ caller: { id } }); // of keys that give entry another one

  data.version = 2;
  expect(await judge(unknown)).toBeUndefined();
  await db.schema.alterTable("api_keys").renameTo("away").execute();
  await expect(judge(key)).rejects.toThrow("could not be looked up");
  await db.schema.alterTable("away").renameTo("api_keys").execute();
  expect(await judge(key)).toMatchObject({ caller: { id } });
});

test("no key is cached while it cannot be told whether something was committed", async () => {
  const { db, data, make, judge } = await judging();
  data.version = undefined;
  const { key, id } = await make();
  expect(await judge(key)).toBeDefined();
  await revokeApiKey(db, id);
  expect(await judge(key)).toBeUndefined();
});

test("a key that was being looked up is not cached when something was committed meanwhile", async () => {
  const { db, data, make, judge } = await judging();
  const { key, id } = await make();
  let waiting: ReturnType<typeof judge>[] = [];
  await db.transaction().execute(async (trx) => {
    waiting = [judge(key)];
    data.version = 2;
    waiting.push(judge(generateApiKey("development")));
    await trx.selectFrom("api_keys").selectAll().execute();
  });
  expect(await waiting[0]).toMatchObject({ caller: { id } });
  await waiting[1];
  await revokeApiKey(db, id);
  expect(await judge(key)).toBeUndefined();
});
