import type { Storage } from "@openapi-operations/storage/storage";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { temporaryFolder } from "@platform/test-support/temporary";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { type KeyUses, keyUses } from "../src/authentication.ts";
import { createApiKey, listApiKeys } from "../src/keys.repository.ts";
import type { ApiKeysTables } from "../src/keys.table.ts";
import { startProgram } from "./service/start.ts";
import { opened, temporaryStorage } from "./tables.ts";

describe("the recorder of uses", () => {
  interface Collected {
    uses: KeyUses;
    storage: Storage<ApiKeysTables>;
    log: string[];
    lastUses: () => Promise<(number | null)[]>;
  }

  /** Returns two keys and a recorder of their uses. */
  async function collecting(
    write?: (storage: Storage<ApiKeysTables>) => Storage<ApiKeysTables>["write"],
    saveAfterMs?: number,
  ): Promise<Collected> {
    const storage = await temporaryStorage();
    const { db } = storage;
    for (const name of ["one", "two"])
      await storage.write((trx) => createApiKey(trx, { name, environment: "development" }));
    const log: string[] = [];
    const uses = keyUses(
      write?.(storage) ?? storage.write,
      pino({ level: "trace" }, { write: (line) => log.push(line) }),
      saveAfterMs,
    );
    onTestFinished(() => uses.close());
    return { uses, storage, log, lastUses: async () => (await listApiKeys(db)).map(({ lastUsedAt }) => lastUsedAt) };
  }

  test("a use is saved within a few seconds, for the used key only", async () => {
    const { uses, lastUses } = await collecting();
    const before = Date.now();
    uses.record(2);
    await expect.poll(lastUses, { timeout: 6_000 }).toEqual([null, expect.any(Number)]);
    const [, at] = await lastUses();
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThan(before + 1_000); // the time of the use, not of the save
  });

  test("close saves all uses at once, in one write", async () => {
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

  test("uses that cannot be saved are logged, and saved later", async () => {
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
    expect(log[0]).toContain("the last uses of API keys could not be saved");
    expect(log[0]).toContain("the database is away");
    isAway = false;
    await expect.poll(lastUses).toEqual([expect.any(Number), null]);
  });

  test("close tries to save only once if the database is unavailable", async () => {
    const { uses, log } = await collecting(() => async () => Promise.reject(new Error("the database is away")));
    uses.record(1);
    await uses.close();
    expect(log).toHaveLength(1);
  });

  test("more uses than one statement can hold are saved in several", async () => {
    const { uses, storage, lastUses } = await collecting();
    for (let id = 1_500; id > 0; id--) uses.record(id);
    await uses.close();
    expect(await lastUses()).toEqual([expect.any(Number), expect.any(Number)]);
    await expect(storage.write(async () => "still works")).resolves.toBe("still works");
  });
});

describe("a service", () => {
  test("a server saves the uses of its keys when it is stopped", async () => {
    const DATABASE_URL = await temporaryUrl();
    const { baseUrl, stop } = await startProgram(await temporaryFolder(), { DATABASE_URL, THINGS_ENV: "production" });
    const db = opened(DATABASE_URL);
    const { key } = await createApiKey(db, { name: "shop", environment: "production" });
    const before = Date.now();
    await fetch(`${baseUrl}/things`, { headers: { Authorization: `Bearer ${key}` } });
    expect(await stop()).toBe(0);
    expect((await listApiKeys(db))[0]?.lastUsedAt).toBeGreaterThanOrEqual(before);
  });
});
