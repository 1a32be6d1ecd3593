import { type KeyUses, keyUses } from "@platform/api-keys/key-uses";
import { createApiKey, listApiKeys } from "@platform/api-keys/keys.repository";
import type { ApiKeysTables } from "@platform/api-keys/keys.table";
import { migrate } from "@platform/storage/migrations";
import { openStorage } from "@platform/storage/open-storage";
import type { Storage } from "@platform/storage/storage";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import { startProgram } from "../program.ts";
import { opened } from "../temporary.ts";

interface Collected {
  uses: KeyUses;
  storage: Storage<ApiKeysTables>;
  log: string[];
  lastUses: () => Promise<(number | null)[]>;
}

/** Two keys, and what collects their uses. */
async function collecting(
  write?: (storage: Storage<ApiKeysTables>) => Storage<ApiKeysTables>["write"],
  saveAfterMs?: number,
): Promise<Collected> {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  for (const name of ["one", "two"]) await createApiKey(db, { name, environment: "development" });
  const storage = openStorage<ApiKeysTables>(url);
  const log: string[] = [];
  const uses = keyUses(
    write?.(storage) ?? storage.write,
    pino({ level: "trace" }, { write: (line) => log.push(line) }),
    saveAfterMs,
  );
  onTestFinished(async () => {
    await uses.close();
    await storage.destroy();
  });
  return { uses, storage, log, lastUses: async () => (await listApiKeys(db)).map(({ lastUsedAt }) => lastUsedAt) };
}

test("a use is saved within a few seconds, and only of the key that was used", async () => {
  const { uses, lastUses } = await collecting();
  const before = Date.now();
  uses.record(2);
  await expect.poll(lastUses, { timeout: 6_000 }).toEqual([null, expect.any(Number)]);
  const [, at] = await lastUses();
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThan(before + 1_000); // when it was used, not when that was saved
});

test("any number of uses is one write, which closing does at once", async () => {
  let writes = 0;
  const { uses, lastUses } = await collecting((storage) => async (work) => {
    writes++;
    return storage.write(work);
  });
  for (let use = 0; use < 10_000; use++) uses.record((use % 2) + 1);
  await uses.close();
  expect(writes).toBe(1);
  expect(await lastUses()).toEqual([expect.any(Number), expect.any(Number)]);
  uses.record(1);
  await uses.close();
  expect(writes).toBe(1);
});

test("uses that cannot be saved disturb nobody, are reported, and are saved later", async () => {
  let isAway = true;
  const { uses, lastUses, log } = await collecting(
    (storage) => async (work) => {
      if (isAway) throw new Error("the database is away");
      return storage.write(work);
    },
    200,
  );
  uses.record(1);
  await expect.poll(() => log.length).toBeGreaterThan(0);
  expect(log[0]).toContain("when keys were last used could not be saved");
  expect(log[0]).toContain("the database is away");
  isAway = false;
  await expect.poll(lastUses).toEqual([expect.any(Number), null]);
});

test("closing while the database is away gives up after one try", async () => {
  const { uses, log } = await collecting(() => async () => Promise.reject(new Error("the database is away")));
  uses.record(1);
  await uses.close();
  expect(log).toHaveLength(1);
});

test("more keys than fit a statement are saved in several", async () => {
  const { uses, storage, lastUses } = await collecting();
  for (let id = 1_500; id > 0; id--) uses.record(id);
  await uses.close();
  expect(await lastUses()).toEqual([expect.any(Number), expect.any(Number)]);
  await expect(storage.write(async () => "still works")).resolves.toBe("still works");
});

test("a server saves the uses of its keys when it is stopped", async () => {
  const DATABASE_URL = await temporaryUrl();
  const { baseUrl, stop } = await startProgram(await temporaryFolder(), { DATABASE_URL, PETSTORE_ENV: "production" });
  const db = opened(DATABASE_URL);
  const { key } = await createApiKey(db, { name: "shop", environment: "production" });
  const before = Date.now();
  await fetch(`${baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } });
  expect(await stop()).toBe(0);
  expect((await listApiKeys(db))[0]?.lastUsedAt).toBeGreaterThanOrEqual(before);
});
