import { renameSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { needsPosix } from "@platform/test-support/machine";
import { sql } from "kysely";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { DatabaseError, FileMovedError } from "../src/database-error.ts";
import { openStorage } from "../src/open-storage.ts";
import { findDatabaseFailure, outageLog } from "../src/outage.ts";
import { pathOfFileUrl } from "../src/url.ts";
import { insertThing, SCHEMA, temporaryStorage } from "./things.ts";

describe("an outage", () => {
  /** The interval of checks in these tests, in milliseconds. */
  const LOOK_EVERY_MS = 20;

  interface Line {
    level: number;
    msg: string;
    failures: number;
    seconds: number;
  }

  /** Creates an outage log that counts its checks, with `isOver` as their result. */
  function watched(isOver: (look: number) => boolean | Promise<boolean>) {
    const lines: Line[] = [];
    const logger = pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line) as Line) });
    let looks = 0;
    const report = outageLog(logger, async () => isOver(++looks), LOOK_EVERY_MS);
    return { lines, report: () => report(new Error("away"), {}), looks: () => looks };
  }

  const [BEGAN, LASTS, OVER] = [
    "the database cannot be used",
    "the database still cannot be used",
    "the database can be used again",
  ];

  test("an outage is logged at its start, at every sixth check and at its end", async () => {
    const logged: number[] = [];
    const { lines, report } = watched((look) => {
      logged.push(lines.length);
      return look >= 14;
    });
    report();
    report();
    const began = performance.now();
    await expect.poll(() => lines.at(-1)?.msg, { interval: 5 }).toBe(OVER);
    const seconds = Math.round((performance.now() - began) / 1_000);
    expect(lines.map(({ level, msg, failures }) => [level, msg, failures])).toEqual([
      [50, BEGAN, undefined],
      [50, LASTS, 2],
      [50, LASTS, 2],
      [40, OVER, 2],
    ]);
    expect(logged).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3]); // the first check finds a new failure, and does not call `isOver`
    expect(Math.abs(lines.at(-1)!.seconds - seconds)).toBeLessThanOrEqual(1);
    report();
    await expect.poll(() => lines.length, { interval: 5 }).toBe(6);
    expect(lines.slice(4)).toMatchObject([{ msg: BEGAN }, { msg: OVER, failures: 1 }]); // another outage
  });

  test("an outage is not over if a request fails during a check", async () => {
    const over: (() => void)[] = [];
    const { lines, report, looks } = watched((look) => {
      if (look === 1) report();
      return new Promise((resolve) => over.push(() => resolve(true)));
    });
    report();
    await expect.poll(looks, { interval: 5 }).toBe(1);
    over[0]!();
    await expect.poll(looks, { interval: 5 }).toBe(2);
    expect(lines.map(({ msg }) => msg)).toEqual([BEGAN]);
    over[1]!();
    await expect.poll(() => lines.at(-1), { interval: 5 }).toMatchObject({ msg: OVER, failures: 2 });
  });

  test("an outage does not keep the process alive", async () => {
    const { report } = watched(() => true);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    report();
    expect(timers()).toBe(before);
  });

  test("an outage is logged as one error with its stack, then as counts of failures, then as its end", async () => {
    const storage = await temporaryStorage();
    const lines: { level: number; msg: string; err?: { stack: string }; req?: object; failures?: number }[] = [];
    const logger = pino(
      { level: "info" },
      { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
    );
    const report = outageLog(
      logger,
      async () => (await findDatabaseFailure(storage, Object.keys(SCHEMA.tables))) === undefined,
      20,
    );
    const limit = (pages: number) =>
      storage.write(async (trx) => void (await sql`pragma max_page_count = ${sql.lit(pages)}`.execute(trx)));
    let failures = 0;
    const write = () =>
      storage
        .write((trx) => insertThing(trx, { name: "é".repeat(255), size: 1 }))
        .then(
          () => true,
          (error: unknown) => {
            failures++;
            report(error, { id: failures });
            return false;
          },
        );

    await limit(1); // SQLite raises the limit to the current size
    while (await write());
    await expect.poll(async () => (await write(), lines.length), { interval: 5 }).toBeGreaterThan(2);
    await expect
      .poll(() => findDatabaseFailure(storage, Object.keys(SCHEMA.tables)))
      .toMatchObject({ message: "The database cannot be written." });
    await limit(100_000);
    await expect.poll(() => lines.at(-1)?.msg).toBe("the database can be used again");

    const [began, ...others] = lines.splice(0);
    expect(began).toMatchObject({ level: 50, msg: "the database cannot be used", req: { id: 1 } });
    expect(began!.err!.stack).toContain("database or disk is full");
    const counts = others.slice(0, -1);
    expect(new Set(counts.map(({ level, msg }) => `${level} ${msg}`))).toEqual(
      new Set(["50 the database still cannot be used"]),
    );
    expect(counts.map((line) => line.failures).toSorted((a, b) => a! - b!)).toEqual(
      counts.map((line) => line.failures),
    );
    expect(others.at(-1)).toMatchObject({ level: 40, failures });
    expect(others.filter(({ err }) => err !== undefined)).toEqual([]);
  });
});

describe("writability", () => {
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
});
