import type { ProcessContext } from "@openapi-operations/service/serving";
import type { Storage } from "@openapi-operations/storage/storage";
import { pino } from "pino";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { expireResponses } from "../src/expired-responses.ts";
import { createApiKey } from "../src/keys.repository.ts";
import { openKeyedStorage } from "../src/serving.ts";
import type { KeyedConfig } from "../src/settings.ts";
import { type Tables, temporaryStorage } from "./tables.ts";

const DAY = 24 * 60 * 60 * 1000;

/** Returns a storage with responses of these ages, in milliseconds, and a function that returns the ages of those that are left. */
async function storageWith(ages: number[]) {
  const storage = await temporaryStorage();
  const { id } = await storage.write((trx) => createApiKey(trx, { name: "one", environment: "development" }));
  const now = Date.now();
  const rows = ages.map((age, n) => ({
    api_key_id: id,
    key: `k${n}`,
    request_hash: "h",
    answer: "{}",
    created_at: now - age,
  }));
  await storage.write((trx) => trx.insertInto("idempotency_keys").values(rows).execute());
  const ageOf = ({ created_at }: { created_at: number }) => now - created_at;
  const left = async () => (await storage.db.selectFrom("idempotency_keys").select("created_at").execute()).map(ageOf);
  return { storage, left };
}

function expiring(write: Storage<Tables>["write"], lines: string[] = []) {
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const expiry = expireResponses(write, logger, 5);
  onTestFinished(() => expiry.close());
  return expiry;
}

describe("expired responses", () => {
  test("are deleted in the background, however many there are, and no others", async () => {
    const { storage, left } = await storageWith([
      ...Array.from({ length: 1_203 }, (_, n) => DAY + 60_000 + n),
      0,
      DAY / 2,
    ]);
    expiring(storage.write);
    await expect.poll(async () => (await left()).toSorted((a, b) => a - b)).toEqual([0, DAY / 2]);
  });

  test("are deleted in batches, between which other writes run", async () => {
    const { storage } = await storageWith(Array.from({ length: 1_203 }, (_, n) => DAY + 60_000 + n));
    const counts: number[] = [];
    const done = Promise.withResolvers<void>();
    expiring(async (work, isSuccess) => {
      const count = async (trx: Parameters<typeof work>[0]) => {
        const rows = await trx.selectFrom("idempotency_keys").select("key").execute();
        return rows.length;
      };
      const result = await storage.write(async (trx) => {
        const before = await count(trx);
        const value = await work(trx);
        counts.push(before - (await count(trx)));
        return value;
      }, isSuccess);
      if (result === undefined) done.resolve();
      return result;
    });
    await done.promise;
    expect(counts.slice(0, 3)).toEqual([500, 500, 203]);
  });

  test("that cannot be deleted are logged once, and deleted later", async () => {
    const { storage, left } = await storageWith([DAY + 60_000]);
    const lines: string[] = [];
    let failures = 3;
    expiring((work, isSuccess) => {
      if (failures-- > 0) return Promise.reject(new Error("disk full"));
      return storage.write(work, isSuccess);
    }, lines);
    await expect.poll(left).toEqual([]);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      "expired responses of Idempotency-Key could not be deleted",
    ]);
  });

  test("are deleted while a service has its storage open", async () => {
    const { storage, left } = await storageWith([DAY + 60_000]);
    const random = vi.spyOn(Math, "random").mockReturnValue(0); // it looks at once
    onTestFinished(() => random.mockRestore());
    const closing: (() => Promise<unknown>)[] = [];
    const config = { databaseUrl: storage.url } as KeyedConfig;
    const onClose = (close: () => Promise<unknown>) => void closing.unshift(close);
    await openKeyedStorage(config, { logger: pino({ enabled: false }), onClose } as ProcessContext);
    await expect.poll(left).toEqual([]);
    for (const close of closing) await close();
  });

  test("are not looked for once the service has stopped", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let looks = 0;
    const expiry = expiring(async () => {
      looks++;
      return undefined as never;
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(looks).toBeGreaterThan(5);
    await expiry.close();
    const before = looks;
    await vi.advanceTimersByTimeAsync(100);
    expect(looks).toBe(before);
  });
});
