import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { DatabaseError } from "../src/database-error.ts";
import { openDatabase } from "../src/database.ts";
import { groupCommit } from "../src/group-commit.ts";
import { migrate } from "../src/migrations.ts";
import { openStorage } from "../src/open-storage.ts";
import type { SqliteFileAdapter } from "../src/prepared.ts";
import type { Storage } from "../src/storage.ts";
import { pathOfFileUrl } from "../src/url.ts";
import {
  type Database,
  insertThing,
  listThings,
  MIGRATIONS,
  type Tables,
  temporaryDatabase,
  temporaryStorage,
} from "./things.ts";

const CUP = { name: "cup", size: 1 };

describe("write", () => {
  test("commits concurrent writes in one transaction", async () => {
    const { write } = await temporaryStorage();
    const transactions = await Promise.all(
      Array.from({ length: 20 }, () =>
        write(async (trx) => {
          await insertThing(trx, CUP);
          const { rows } = await sql<{ count: number }>`select count(*) as count from things`.execute(trx);
          return rows[0]!.count;
        }),
      ),
    );
    expect(transactions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test("lets the event loop turn between two transactions if one cannot hold all writes", async () => {
    const committed: number[] = [];
    const { write } = await temporaryStorage((size) => void committed.push(size));
    let atTurn: number[] | undefined;
    const all = Array.from({ length: 300 }, (_, index) =>
      write(async (trx) => {
        if (index === 0) setImmediate(() => (atTurn = [...committed]));
        await insertThing(trx, CUP);
      }),
    );
    await Promise.all(all);
    expect(committed).toEqual([256, 44]);
    expect(atTurn).toEqual([256]);
  });

  test("settles the writes of a group in the order of their arrival, even if one fails", async () => {
    const { write } = await temporaryStorage();
    const order: string[] = [];
    const writes = [1, -1, 2, -2].map((size) =>
      write((trx) => insertThing(trx, { ...CUP, size })).then(
        () => order.push(`${size} is kept`),
        () => order.push(`${size} fails`),
      ),
    );
    await Promise.all(writes);
    expect(order).toEqual(["1 is kept", "-1 fails", "2 is kept", "-2 fails"]);
  });

  test("rejects every write of a group that cannot be committed, and succeeds again after that", async () => {
    const { write, db } = await temporaryStorage();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    const limit = (pages: number) =>
      write(async (trx) => void (await sql`pragma max_page_count = ${sql.lit(pages)}`.execute(trx)));
    await limit(rows[0]!.page_count);
    const group = await Promise.allSettled(
      Array.from({ length: 200 }, () => write((trx) => insertThing(trx, { ...CUP, name: "x".repeat(255) }))),
    );
    const kept = await listThings(db);
    expect(group.some(({ status }) => status === "rejected")).toBe(true);
    expect(group.flatMap((result) => (result.status === "fulfilled" ? [result.value.id] : []))).toEqual(
      kept.map(({ id }) => id),
    );
    await limit(rows[0]!.page_count + 100);
    await expect(write((trx) => insertThing(trx, CUP))).resolves.toMatchObject(CUP);
  });

  test("rejects at its own timeout while an earlier group still waits, and stores nothing", async () => {
    const db = await temporaryDatabase();
    const { write } = groupCommit(db, { timeoutMs: 1_000 });
    const other = new Sqlite(await pathOf(db)).exec("begin immediate");
    const refused = [write((trx) => insertThing(trx, { ...CUP, name: "in the first group" }))];
    await nextTurn(); // the first group is closed
    const start = performance.now();
    refused.push(write((trx) => insertThing(trx, { ...CUP, name: "in the second" })));
    for (const result of await Promise.allSettled(refused)) {
      expect(result).toEqual({ status: "rejected", reason: expect.any(DatabaseError) });
    }
    expect(performance.now() - start).toBeLessThan(4_000); // the first group itself waits 5 s

    other.exec("rollback").close();
    const kept = await write((trx) => insertThing(trx, CUP));
    expect(await listThings(db)).toEqual([kept]);
  });

  test("rejects at its timeout if another process takes the lock while its group is rolled back", async () => {
    const db = await temporaryDatabase();
    const { write } = groupCommit(db, { timeoutMs: 500 });
    const other = new Sqlite(await pathOf(db), { timeout: 0 });
    let runs = 0;
    const takeLock = (): void => {
      try {
        other.exec("begin immediate");
      } catch {
        queueMicrotask(takeLock); // the group still has the lock
      }
    };
    const start = performance.now();
    const failing = write(async () => {
      if (runs++ === 0) takeLock();
      throw new Error("fails");
    });
    await expect(failing).rejects.toBeInstanceOf(DatabaseError);
    expect(performance.now() - start).toBeLessThan(4_000); // the transaction itself waits 5 s
    expect(runs).toBe(1);
    other.exec("rollback").close();
  });

  test("adds no savepoint unless a write of the group fails", async () => {
    const { write } = await temporaryStorage();
    await write((trx) => insertThing(trx, CUP)); // opens the file
    const run = vi.spyOn(Sqlite.prototype, "prepare");
    onTestFinished(() => run.mockRestore());
    const savepoints = () => run.mock.calls.filter(([text]) => text.startsWith("savepoint")).length;
    await Promise.all([1, 2].map((size) => write((trx) => insertThing(trx, { ...CUP, size }))));
    expect(savepoints()).toBe(0);
    await Promise.allSettled([1, -1].map((size) => write((trx) => insertThing(trx, { ...CUP, size }))));
    expect(savepoints()).toBe(1); // prepared once, run twice
  });
});

test("stopWaiting does not keep the process of a closed storage alive", async () => {
  const { url } = await temporaryStorage();
  const program = join(import.meta.dirname, "programs/stopper.ts");
  const ended = promisify(execFile)(process.execPath, [program, url], { timeout: 30_000 });
  await expect(ended).resolves.toEqual({ stdout: "", stderr: "" });
});

test("stopWaiting(0) rejects writes that wait for another process, and soon rejects later ones", async () => {
  const { write, stopWaiting, url, db } = await temporaryStorage();
  await write((trx) => insertThing(trx, CUP));
  const other = new Sqlite(pathOfFileUrl(url)).exec("begin immediate");
  const waiting = write((trx) => insertThing(trx, { ...CUP, name: "waits" }));
  const start = performance.now();
  stopWaiting(0);
  await expect(waiting).rejects.toBeInstanceOf(DatabaseError);
  await expect(write((trx) => insertThing(trx, { ...CUP, name: "later" }))).rejects.toBeInstanceOf(DatabaseError);
  expect(performance.now() - start).toBeLessThan(4_000); // a write would wait for 5 s
  other.exec("rollback").close();
  await write((trx) => insertThing(trx, { ...CUP, name: "last" }));
  expect((await listThings(db)).map(({ name }) => name)).toEqual(["cup", "last"]);
});

describe("watchedVersion", () => {
  const open = async () => {
    const { url } = await temporaryStorage();
    const storage = openStorage<Tables>(url, { watchedTable: "api_keys" });
    onTestFinished(() => storage.destroy());
    await storage.open();
    const version = () => new Promise<string | undefined>((done) => storage.snapshot((_, watched) => done(watched)));
    return { ...storage, url, version };
  };
  const addKey = (db: Database) => db.insertInto("api_keys").values({ name: "k" }).execute();

  test("stays the same after own writes to other tables", async () => {
    const { write, version } = await open();
    const before = await version();
    expect(before).toEqual(expect.any(String));
    await write((trx) => insertThing(trx, CUP));
    expect(await version()).toBe(before);
  });

  test.each<[title: string, write: (db: Database) => Promise<unknown>]>([
    ["an insert", addKey],
    ["an update", (db) => db.updateTable("api_keys").set({ name: "l" }).execute()],
    ["a delete", (db) => db.deleteFrom("api_keys").execute()],
  ])("changes after %s by this process", async (_title, change) => {
    const { write, version } = await open();
    await write(addKey);
    const before = await version();
    await write(change);
    expect(await version()).not.toBe(before);
  });

  test("changes after a commit of another connection", async () => {
    const { url, version } = await open();
    const before = await version();
    new Sqlite(pathOfFileUrl(url)).exec("insert into things (name, size) values ('cup', 1)").close();
    expect(await version()).not.toBe(before);
  });

  test("is undefined while a write may have changed the table, and without a watched table", async () => {
    const { write, version } = await open();
    expect(await write(async (trx) => (await addKey(trx), version()))).toBeUndefined();
    const storage = await temporaryStorage();
    await storage.open();
    expect(await new Promise((done) => storage.snapshot((...versions) => done(versions)))).toEqual([
      expect.any(Number),
      undefined,
    ]);
  });
});

describe("snapshot", () => {
  const versionOf = (storage: Pick<Storage<Tables>, "snapshot">) => {
    return new Promise<number | undefined>((done) => storage.snapshot(done));
  };

  test("has no version before the file is open", async () => {
    const storage = await temporaryStorage();
    expect(await versionOf(storage)).toBeUndefined();
    await storage.open();
    expect(await versionOf(storage)).toEqual(expect.any(Number));
  });

  test("has no version within a transaction on its connection, and does not disturb the transaction", async () => {
    const db = await temporaryDatabase();
    const adapter = db.getExecutor().adapter as SqliteFileAdapter;
    const version = () => versionOf({ snapshot: (read) => adapter.snapshot((number) => read(number, undefined)) });
    expect(await version()).toEqual(expect.any(Number));
    const failing = db.transaction().execute(async (trx: Database) => {
      await insertThing(trx, CUP);
      expect(await version()).toBeUndefined();
      throw new Error("taken back");
    });
    await expect(failing).rejects.toThrow("taken back");
    expect(await listThings(db)).toEqual([]);
  });

  test("cannot be used to write, because its version would not change", async () => {
    const { db, write } = await temporaryStorage();
    await expect(insertThing(db, CUP)).rejects.toThrow("attempt to write a readonly database");
    await write((trx) => insertThing(trx, CUP));
    expect(await listThings(db)).toHaveLength(1);
  });

  test("has the same version until a write is committed, and another version after that", async () => {
    const storage = await temporaryStorage();
    await storage.open();
    const before = await versionOf(storage);
    expect(await versionOf(storage)).toBe(before);
    await storage.write((trx) => insertThing(trx, CUP));
    const after = await versionOf(storage);
    expect(after).not.toBe(before);
    expect(await versionOf(storage)).toBe(after);
  });
});

async function pathOf(db: Database): Promise<string> {
  const { rows } = await sql<{ file: string }>`pragma database_list`.execute(db);
  return rows[0]!.file;
}

test("a connection caches a bounded number of prepared statements", async () => {
  const { db } = await temporaryStorage();
  const queries = Array.from({ length: 257 }, (_, number) => sql`select ${sql.lit(number)} as number`);
  const prepare = vi.spyOn(Sqlite.prototype, "prepare");
  onTestFinished(() => prepare.mockRestore());
  const preparedFor = async (numbers: number[]) => {
    prepare.mockClear();
    for (const number of numbers) await queries[number]!.execute(db);
    return prepare.mock.calls.filter(([text]) => /^select \d+ as number$/.test(text)).length;
  };
  expect(await preparedFor([0, 0, 1])).toBe(2);
  expect(await preparedFor([...queries.keys()].slice(2, 255))).toBe(253);
  expect(await preparedFor([0, 1, 254])).toBe(0);
  expect(await preparedFor([255, 256])).toBe(2);
  expect(await preparedFor([0])).toBe(1); // a full cache is emptied
});

test("a read waits neither for a write nor for the lock of another process", async () => {
  const { write, db, url } = await temporaryStorage();
  await write((trx) => insertThing(trx, CUP));
  const other = new Sqlite(pathOfFileUrl(url));
  other.exec("begin exclusive");
  const writing = write((trx) => insertThing(trx, CUP));
  expect(await listThings(db)).toHaveLength(1);
  other.exec("rollback").close();
  await writing;
  expect(await listThings(db)).toHaveLength(2);
});

test("destroy closes every connection, so that the file alone holds the data", async () => {
  const url = await temporaryUrl();
  const migrating = openDatabase<Tables>(url);
  await migrate(migrating, MIGRATIONS);
  await migrating.destroy();
  const storage = openStorage<Tables>(url);
  await storage.open();
  await storage.write((trx) => insertThing(trx, CUP));
  await listThings(storage.db);
  const log = `${pathOfFileUrl(url)}-wal`;
  expect(existsSync(log)).toBe(true);
  await storage.destroy();
  expect(existsSync(log)).toBe(false);
});
