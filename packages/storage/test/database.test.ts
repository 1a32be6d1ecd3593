import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { needsPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { DatabaseError, FileMovedError, isDatabaseUnavailable } from "../src/database-error.ts";
import { migrate } from "../src/migrations.ts";
import { pathOfFileUrl } from "../src/url.ts";
import { type Database, insertThing, listThings, MIGRATIONS, opened, temporaryDatabase, type Thing } from "./things.ts";

const CUP = { name: "cup", size: 1 };

describe("openDatabase", () => {
  test("sets durability and safety for a new and an existing database", async () => {
    const url = `file:${join(await temporaryFolder(), "new", "folder", "petstore.db")}`;
    for (const db of [opened(url), opened(url)]) {
      expect(await pragma(db, "journal_mode")).toBe("wal");
      expect(await pragma(db, "synchronous")).toBe(2);
      expect(await pragma(db, "foreign_keys")).toBe(1);
      expect(await pragma(db, "busy_timeout")).toBeLessThanOrEqual(250);
      expect(await pragma(db, "wal_autocheckpoint")).toBe(1_000);
    }
  });

  test("keeps written rows after a close and a second open", async () => {
    const url = await temporaryUrl();
    const first = opened(url);
    await migrate(first, MIGRATIONS);
    const thing = await insertThing(first, CUP);
    await first.destroy();
    expect(await listThings(opened(url))).toEqual([thing]);
  });

  test("names a file that cannot be opened, and gives the remedy", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "text.db"), "This is not a database. ".repeat(100));
    await mkdir(join(folder, "folder.db"));
    for (const path of ["text.db", "folder.db", "text.db/below.db"]) {
      const error = await errorOf(sql`select 1`.execute(opened(`file:${join(folder, path)}`)));
      expect(error).toBeInstanceOf(DatabaseError);
      expect(isDatabaseUnavailable(error)).toBe(true);
      expect(error.message).toMatch(
        /^The database file .* cannot be opened \(.*\)\. Check .* or set DATABASE_URL to another file\.$/,
      );
      expect(error.message).toContain(join(folder, path));
    }
  });
});

describe("a transaction", () => {
  test("holds the write lock from its start", async () => {
    const url = await temporaryUrl();
    const other = new Sqlite(url.slice("file:".length), { timeout: 0 });
    await opened(url)
      .transaction()
      .execute(async () => expect(() => other.exec("begin immediate")).toThrow("database is locked"));
    other.exec("begin immediate").close();
  });

  test("does not begin once the file was moved, because its rows would be lost", async (context) => {
    needsPosix(context, "way to rename an open database");
    const url = await temporaryUrl();
    const db = opened(url);
    await migrate(db, MIGRATIONS);
    const path = pathOfFileUrl(url);
    await rename(path, `${path}.moved`);
    await expect(db.transaction().execute((trx: Database) => insertThing(trx, CUP))).rejects.toThrow(FileMovedError);
    await rename(`${path}.moved`, path);
    await db.transaction().execute((trx: Database) => insertThing(trx, CUP));
    expect(await listThings(db)).toHaveLength(1);
  });

  test("fails with the first error if SQLite rolls it back by itself", async () => {
    const db = await temporaryDatabase();
    const failing = db.transaction().execute(async (trx: Database) => {
      await sql`insert or rollback into things (name, size) values ('cup', 0)`.execute(trx);
    });
    await expect(failing).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_CHECK" });
    expect(await insertThing(db, CUP)).toMatchObject({ id: 1 });
  });

  test("stores nothing if its function throws", async () => {
    const db = await temporaryDatabase();
    const failing = db.transaction().execute(async (trx: Database) => {
      await insertThing(trx, CUP);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await listThings(db)).toEqual([]);
  });
});

describe("a query on a database that another process has locked", () => {
  test("waits for the lock while it opens the database", async () => {
    const url = await temporaryUrl();
    const holder = new Sqlite(url.slice("file:".length));
    holder.exec("begin exclusive");
    const opening = sql`select 1`.execute(opened(url));
    let isOpen = false;
    void opening.then(() => (isOpen = true));
    await manyTurns(200);
    expect(isOpen).toBe(false);
    holder.exec("commit").close();
    expect((await opening).rows).toHaveLength(1);
  });

  test("waits for the lock without blocking the event loop", async () => {
    const [holder, waiter] = await twoConnections();
    let written = false;
    const waiting = await holder.transaction().execute(async () => {
      const insert = insertThing(waiter, CUP).then(() => (written = true));
      await manyTurns(800);
      expect(written).toBe(false);
      return { insert };
    });
    await waiting.insert;
    expect(await listThings(holder)).toHaveLength(1);
  });

  test("fails after some seconds, and gives the reason", async () => {
    const [holder, waiter] = await twoConnections();
    await holder.transaction().execute(async () => {
      const error = await errorOf(insertThing(waiter, CUP));
      expect(error).toBeInstanceOf(DatabaseError);
      expect(error.message).toBe("The database is locked by another process. Stop that process, or try again.");
    });
  });
});

test("on a full disk writes fail and reads succeed; writes succeed again once there is room", async () => {
  const db = await temporaryDatabase();
  const pages = await pragma(db, "page_count");
  await pragma(db, `max_page_count = ${String(pages)}`);
  const kept: Thing[] = [];
  const fill = async () => {
    for (;;)
      kept.push(await db.transaction().execute((trx: Database) => insertThing(trx, { ...CUP, name: "x".repeat(255) })));
  };
  expect(isDatabaseUnavailable(await errorOf(fill()))).toBe(true);
  expect(await listThings(db)).toEqual(kept);
  await pragma(db, `max_page_count = ${Number(pages) + 100}`);
  kept.push(await insertThing(db, CUP));
  expect(await listThings(db)).toEqual(kept);
});

test("isDatabaseUnavailable is false for a mistake in a query", async () => {
  const error = await errorOf(sql`select nothing from nowhere`.execute(await temporaryDatabase()));
  expect(isDatabaseUnavailable(error)).toBe(false);
});

async function twoConnections(): Promise<[Database, Database]> {
  const url = await temporaryUrl();
  const databases: [Database, Database] = [opened(url), opened(url)];
  await migrate(databases[0], MIGRATIONS);
  return databases;
}

/**
 * Waits for a thousand turns of the event loop, and for at least `milliseconds`. A statement that still waits after that,
 * and succeeds later, has not blocked the event loop.
 */
async function manyTurns(milliseconds: number): Promise<void> {
  const start = performance.now();
  for (let turns = 0; turns < 1_000 || performance.now() - start < milliseconds; turns++) await setImmediate();
}

async function pragma(db: Database, text: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(text)}`.execute(db);
  return Object.values(rows[0] ?? {})[0];
}

async function errorOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: Error) => error,
  );
}
