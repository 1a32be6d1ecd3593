import { rename } from "node:fs/promises";
import { keyUses } from "@platform/api-keys/authentication";
import { listen } from "@platform/service/listener";
import type { Storage } from "@platform/storage/storage";
import { pathOfFileUrl } from "@platform/storage/url";
import { needsPosix } from "@platform/test-support/posix";
import Sqlite from "better-sqlite3";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import type { Tables } from "../src/registrations.ts";
import { insertPet } from "../src/resources/pets/pets.repository.ts";
import { expectError } from "../testing/service.ts";
import { temporaryStorage } from "./temporary.ts";

async function served(
  isStopping = () => false,
): Promise<{ get: () => Promise<Response>; storage: Storage<Tables>; path: string; log: string[]; commits: number[] }> {
  const commits: number[] = [];
  const storage = await temporaryStorage((size) => commits.push(size));
  const log: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line) => log.push(line) });
  const { environment, maxInFlight, rateLimits } = readConfig({});
  const app = await createApp({
    storage,
    keyUses: keyUses(storage.write, logger),
    logger,
    environment,
    maxInFlight,
    rateLimits,
    isStopping,
  });
  const listener = await listen(app, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => void (await listener.close()));
  return { get: () => fetch(`${listener.origin}/readyz`), storage, path: pathOfFileUrl(storage.url), log, commits };
}

describe("/readyz", () => {
  test("returns 200 while the service can be used", async () => {
    const { get } = await served();
    expect((await get()).status).toBe(200);
  });

  test("returns 503 from the moment the service begins to stop", async () => {
    let isStopping = false;
    const { get } = await served(() => isStopping);
    expect((await get()).status).toBe(200);
    isStopping = true;
    await expectError(await get(), 503, "unavailable");
  });

  test("returns 503 while a table is missing, and 200 once it is back", async () => {
    const { get, path } = await served();
    const other = new Sqlite(path);
    onTestFinished(() => void other.close());
    other.exec("alter table pets rename to taken");
    await expectError(await get(), 503, "unavailable");
    other.exec("alter table taken rename to pets");
    expect((await get()).status).toBe(200);
  });

  test("returns 503 while the database file is moved or replaced, with the reason in the response and the log", async (context) => {
    needsPosix(context, "way to rename an open database");
    const { get, path, log } = await served();
    expect((await get()).status).toBe(200);
    await rename(path, `${path}.moved`);
    for (const replace of [() => {}, () => new Sqlite(path).close()]) {
      replace();
      const message = await expectError(await get(), 503, "unavailable");
      expect(message).toBe("The database file or its log was moved, removed or replaced.");
    }
    expect(log.join("")).toContain(`The database file ${path} or its log ${path}-wal was moved, removed or replaced`);
    expect(log.join("").match(/"stack"/g)).toHaveLength(1);
    await rename(`${path}.moved`, path);
    expect((await get()).status).toBe(200);
  });

  test("logs the end of an outage at the next check, every ten seconds", async (context) => {
    needsPosix(context, "way to rename an open database");
    const { get, path, log } = await served();
    expect((await get()).status).toBe(200);
    await rename(path, `${path}.moved`);
    await expectError(await get(), 503, "unavailable");
    await rename(`${path}.moved`, path);
    const messages = () => log.map((line) => (JSON.parse(line) as { msg: string }).msg);
    await expect.poll(messages).toContain("the database can be used again");
  });

  test("commits one probe after a failed write, for any number of requests, and leaves no trace of it", async (context) => {
    needsPosix(context, "way to rename an open database");
    const { get, storage, path, commits } = await served();
    const file = new Sqlite(path, { readonly: true });
    onTestFinished(() => void file.close());
    const schema = () => file.prepare("select * from sqlite_master").all();
    const before = schema();
    await storage.open();
    await get();
    expect(commits).toEqual([]);
    const failOnce = async (): Promise<void> => {
      await rename(path, `${path}.moved`);
      const pet = { name: "Rex", categoryId: 1, status: "sold" } as const;
      await expect(storage.write((trx) => insertPet(trx, pet))).rejects.toThrow("was moved");
      await rename(`${path}.moved`, path);
    };
    await failOnce();
    for (const _ of ["while writes are in doubt", "afterwards"]) {
      const answers = await Promise.all(Array.from({ length: 50 }, get));
      expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
      expect(commits).toEqual([1, 1]); // the probe and its removal
    }
    await failOnce();
    await expect.poll(async () => (await get()).status).toBe(200);
    expect(commits).toEqual([1, 1, 1, 1]); // the earlier probe does not cover the later failure
    expect(schema()).toEqual(before);
  });

  test("returns 200 after a write that fails by its own error, without a probe", async () => {
    const { get, storage, commits } = await served();
    await expect(storage.write(async () => Promise.reject(new Error("a mistake")))).rejects.toThrow("a mistake");
    commits.length = 0;
    expect((await get()).status).toBe(200);
    expect(commits).toEqual([]);
  });

  test("returns the reason without details of the machine, and logs the error in full", async () => {
    let isStopping = false;
    const { get, path, log } = await served(() => isStopping);
    const warned = () =>
      log
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg }) => msg === "the database cannot be used");
    const other = new Sqlite(path);
    onTestFinished(() => void other.close());
    other.exec("alter table pets rename to taken");
    expect(await expectError(await get(), 503, "unavailable")).toBe("The database does not respond.");
    const req = { method: "GET", path: "/readyz", id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string };
    const err = { type: "SqliteError", message: "no such table: pets", code: "SQLITE_ERROR" };
    expect(warned()).toMatchObject([{ level: 50, req, err }]);
    isStopping = true;
    expect(await expectError(await get(), 503, "unavailable")).toBe("The service is stopping.");
    expect(warned()).toHaveLength(1); // stopping is not logged here
  });

  test("returns 503 if the database does not respond in a second, logs the timeout, and leaves no timer", async () => {
    const { get, storage, log } = await served();
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const holding = storage.db.connection().execute(() => held);
    const began = performance.now();
    await expectError(await get(), 503, "unavailable");
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    expect(JSON.parse(log[0]!)).toMatchObject({
      msg: "the database cannot be used",
      err: { message: "no response in 1000 ms" },
    });
    letGo();
    await holding;
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    for (let times = 0; times < 5; times++) expect((await get()).status).toBe(200);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
