import { renameSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { temporaryUrl } from "@platform/test-support/temporary";
import { needsPosix } from "@platform/test-support/machine";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { DatabaseError, FileMovedError } from "../src/database-error.ts";
import { findDatabaseFailure } from "../src/outage.ts";
import { openStorage } from "../src/open-storage.ts";
import { pathOfFileUrl } from "../src/url.ts";
import { insertThing, temporaryStorage } from "./things.ts";

const CUP = { name: "cup", size: 1 };
const NOT_WRITTEN = "The database cannot be written.";
const FULL = {
  error: expect.objectContaining({ message: expect.stringContaining("cannot grow") }),
  message: NOT_WRITTEN,
};

/** Returns a storage whose file size can be limited, and the sizes of its commits. */
async function limitable() {
  const commits: number[] = [];
  const storage = await temporaryStorage((size) => commits.push(size));
  await storage.open();
  const pages = async () =>
    (await sql<{ page_count: number }>`pragma page_count`.execute(storage.db)).rows[0]!.page_count;
  const limit = (most: number) =>
    storage.write(async (trx) => void (await sql`pragma max_page_count = ${sql.lit(most)}`.execute(trx)));
  const fill = () => storage.write((trx) => insertThing(trx, { ...CUP, name: "x".repeat(100_000) }));
  return { storage, commits, pages, limit, fill };
}

describe("expectWritable", () => {
  test("rejects after a write fails on a full disk, until a probe is committed", async () => {
    const { storage, commits, pages, limit, fill } = await limitable();
    await expect(storage.expectWritable()).resolves.toBeUndefined();
    expect(commits).toEqual([]); // no probe while nothing has failed
    await limit(await pages());
    await expect(fill()).rejects.toThrow(DatabaseError);
    await expect(storage.expectWritable()).rejects.toThrow(/cannot grow/);
    await limit(1_000_000);
    await expect(storage.expectWritable()).rejects.toThrow(/cannot grow/); // the result of a probe is valid for a second
    await setTimeout(1_000);
    const before = commits.length;
    await Promise.all(Array.from({ length: 20 }, () => storage.expectWritable()));
    expect(commits.length - before).toBe(2); // one shared probe, in two commits
    await storage.expectWritable();
    expect(commits.length - before).toBe(2);
    const { rows } = await sql`select name from sqlite_master where name like '%probe%'`.execute(storage.db);
    expect(rows).toEqual([]);
  });

  test("resolves after a mistake in a query", async () => {
    const { storage, commits } = await limitable();
    await expect(storage.write((trx) => insertThing(trx, { ...CUP, size: -1 }))).rejects.toThrow("CHECK");
    await storage.expectWritable();
    expect(commits).toEqual([]);
  });

  test("rejects if a write has failed since the probe", async () => {
    const { storage, pages, limit, fill } = await limitable();
    await limit(await pages());
    await expect(fill()).rejects.toThrow(DatabaseError);
    await limit((await pages()) + 20); // enough for the probe only
    await storage.expectWritable();
    await limit(await pages());
    await expect(fill()).rejects.toThrow(DatabaseError);
    await expect(storage.expectWritable()).rejects.toThrow(/cannot grow/);
  });
});

describe("findDatabaseFailure", () => {
  test("returns undefined if the database can be read and written", async () => {
    const { storage } = await limitable();
    expect(await findDatabaseFailure(storage, ["things", "api_keys"])).toBeUndefined();
  });

  test("names an unreadable table in the logged error, but not in the message", async () => {
    const { storage } = await limitable();
    expect(await findDatabaseFailure(storage, ["things", "none"])).toEqual({
      error: expect.objectContaining({ message: expect.stringContaining("no such table: none") }),
      message: "The database does not respond.",
    });
  });

  test("returns the reason if the database cannot be written", async () => {
    const { storage, pages, limit, fill } = await limitable();
    await limit(await pages());
    await expect(fill()).rejects.toThrow(DatabaseError);
    expect(await findDatabaseFailure(storage, ["things"])).toEqual(FULL);
  });

  test("reports a moved file", async (context) => {
    needsPosix(context, "way to rename an open database");
    const { storage } = await limitable();
    const path = pathOfFileUrl(storage.url);
    renameSync(path, `${path}.moved`);
    expect(await findDatabaseFailure(storage, ["things"])).toEqual({
      error: expect.any(FileMovedError),
      message: "The database file or its log was moved, removed or replaced.",
    });
    renameSync(`${path}.moved`, path);
    expect(await findDatabaseFailure(storage, ["things"])).toBeUndefined();
  });

  test("fails after a second without a response", async () => {
    const { storage } = await limitable();
    const began = performance.now();
    const never = { ...storage, expectWritable: () => new Promise<void>(() => {}) };
    expect(await findDatabaseFailure(never, ["things"])).toEqual({
      error: new Error("no response in 1000 ms"),
      message: "The database does not respond.",
    });
    expect(performance.now() - began).toBeGreaterThan(990);
  });
});

test("a storage does not create a missing file", async () => {
  const missing = openStorage(await temporaryUrl());
  await expect(missing.open()).rejects.toThrow("cannot be opened");
  await expect(missing.write((trx) => insertThing(trx, CUP))).rejects.toThrow("cannot be opened");
  await missing.destroy();
});
