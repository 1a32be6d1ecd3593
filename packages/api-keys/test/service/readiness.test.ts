import { rename } from "node:fs/promises";
import { pathOfFileUrl } from "@openapi-operations/storage/url";
import { needsPosix } from "@platform/test-support/machine";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { insertThing } from "./things.ts";
import { expectError, startService } from "./start.ts";
import { temporaryStorage } from "../tables.ts";

/** A service over a storage whose commits are noted, with its log of warnings and errors. */
async function served() {
  const commits: number[] = [];
  const storage = await temporaryStorage((size) => commits.push(size));
  const env = { DATABASE_URL: storage.url, THINGS_ENV: "production", LOG_LEVEL: "warn" };
  const service = await startService(env, { storage });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const { baseUrl, drain, lines } = service;
  const get = () => fetch(new URL("/readyz", baseUrl));
  const log = () => lines().map((line) => JSON.stringify(line));
  return { get, drain, storage, path: pathOfFileUrl(storage.url), log, commits };
}

describe("/readyz", () => {
  test("returns 200 while the service can be used", async () => {
    const { get } = await served();
    expect((await get()).status).toBe(200);
  });

  test("returns 503 from the moment the service begins to stop", async () => {
    const { get, drain } = await served();
    expect((await get()).status).toBe(200);
    drain();
    await expectError(await get(), 503, "unavailable");
  });

  test("returns 503 while a table is missing, and 200 once it is back", async () => {
    const { get, path } = await served();
    const other = new Sqlite(path);
    onTestFinished(() => void other.close());
    other.exec("alter table things rename to taken");
    await expectError(await get(), 503, "unavailable");
    other.exec("alter table taken rename to things");
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
    expect(log().join("")).toContain(`The database file ${path} or its log ${path}-wal was moved, removed or replaced`);
    expect(
      log()
        .join("")
        .match(/"stack"/g),
    ).toHaveLength(1);
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
    const messages = () => log().map((line) => (JSON.parse(line) as { msg: string }).msg);
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
      await expect(storage.write((trx) => insertThing(trx, { name: "Rex" }))).rejects.toThrow("was moved");
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
    const { get, drain, path, log } = await served();
    const warned = () =>
      log()
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg }) => msg === "the database cannot be used");
    const other = new Sqlite(path);
    onTestFinished(() => void other.close());
    other.exec("alter table things rename to taken");
    expect(await expectError(await get(), 503, "unavailable")).toBe("The database does not respond.");
    const req = { method: "GET", path: "/readyz", id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string };
    const err = { type: "SqliteError", message: "no such table: things", code: "SQLITE_ERROR" };
    expect(warned()).toMatchObject([{ level: 50, req, err }]);
    drain();
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
    expect(JSON.parse(log()[0]!)).toMatchObject({
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
