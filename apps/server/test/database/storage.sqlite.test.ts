import { setImmediate as nextTurn } from "node:timers/promises";
import { DatabaseError } from "@platform/storage/database-error";
import { groupingCommits } from "@platform/storage/grouping-commits";
import type { Storage } from "@platform/storage/storage";
import { pathOfFileUrl } from "@platform/storage/url";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import type { Tables } from "../../src/registrations.ts";
import { type Database, temporaryDatabase, temporaryStorage } from "../temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;

describe("write", () => {
  test("commits what arrives together in one transaction", async () => {
    const { write } = await temporaryStorage();
    const transactions = await Promise.all(
      Array.from({ length: 20 }, () =>
        write(async (trx) => {
          await insertPet(trx, REX);
          const { rows } = await sql<{ count: number }>`select count(*) as count from pets`.execute(trx);
          return rows[0]!.count;
        }),
      ),
    );
    expect(transactions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test("lets the event loop turn between two transactions when there is more than one holds", async () => {
    const committed: number[] = [];
    const { write } = await temporaryStorage((size) => void committed.push(size));
    let atTurn: number[] | undefined;
    const all = Array.from({ length: 300 }, (_, index) =>
      write(async (trx) => {
        if (index === 0) setImmediate(() => (atTurn = [...committed]));
        await insertPet(trx, REX);
      }),
    );
    await Promise.all(all);
    expect(committed).toEqual([256, 44]);
    expect(atTurn).toEqual([256]);
  });

  test("fails for all of a group when it cannot be committed, and works again after", async () => {
    const { write, db } = await temporaryStorage();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    const limit = (pages: number) =>
      write(async (trx) => void (await sql`pragma max_page_count = ${sql.lit(pages)}`.execute(trx)));
    await limit(rows[0]!.page_count);
    const group = await Promise.allSettled(
      Array.from({ length: 200 }, () => write((trx) => insertPet(trx, { ...REX, name: "x".repeat(255) }))),
    );
    const kept = await listPets(db, { limit: 1000 });
    expect(group.some(({ status }) => status === "rejected")).toBe(true);
    expect(group.flatMap((result) => (result.status === "fulfilled" ? [result.value.id] : []))).toEqual(
      kept.map(({ id }) => id),
    );
    await limit(rows[0]!.page_count + 100);
    await expect(write((trx) => insertPet(trx, REX))).resolves.toMatchObject(REX);
  });

  test("is refused when its own patience ends, while the group before it still waits, and leaves nothing", async () => {
    const db = await temporaryDatabase();
    const { write } = groupingCommits(db, undefined, 1_000);
    const other = new Sqlite(await pathOf(db)).exec("begin immediate");
    const refused = [write((trx) => insertPet(trx, { ...REX, name: "in the first group" }))];
    await nextTurn(); // the first group is made up
    const start = performance.now();
    refused.push(write((trx) => insertPet(trx, { ...REX, name: "in the second" })));
    for (const result of await Promise.allSettled(refused)) {
      expect(result).toEqual({ status: "rejected", reason: expect.any(DatabaseError) });
    }
    expect(performance.now() - start).toBeLessThan(4_000); // the first group itself waits 5 s

    other.exec("rollback").close();
    const kept = await write((trx) => insertPet(trx, REX));
    expect(await listPets(db, { limit: 10 })).toEqual([kept]);
  });
});

test("writes that wait for another process are refused once they shall not wait, and later ones wait for a moment", async () => {
  const { write, stopWaiting, url, db } = await temporaryStorage();
  await write((trx) => insertPet(trx, REX));
  const other = new Sqlite(pathOfFileUrl(url)).exec("begin immediate");
  const waiting = write((trx) => insertPet(trx, { ...REX, name: "waits" }));
  const start = performance.now();
  stopWaiting(0);
  await expect(waiting).rejects.toBeInstanceOf(DatabaseError);
  await expect(write((trx) => insertPet(trx, { ...REX, name: "later" }))).rejects.toBeInstanceOf(DatabaseError);
  expect(performance.now() - start).toBeLessThan(4_000); // a write would wait for 5 s
  other.exec("rollback").close();
  await write((trx) => insertPet(trx, { ...REX, name: "last" }));
  expect((await listPets(db, { limit: 10 })).map(({ name }) => name)).toEqual(["Rex", "last"]);
});

describe("snapshot", () => {
  const versionOf = (storage: Pick<Storage<Tables>, "snapshot">) => {
    const versions: (number | undefined)[] = [];
    storage.snapshot((version) => versions.push(version));
    expect(versions).toHaveLength(1);
    return versions[0];
  };

  test("has no version while the file is not open, nor within a transaction on it, which it leaves alone", async () => {
    const storage = await temporaryStorage();
    expect(versionOf(storage)).toBeUndefined();
    await storage.open();
    expect(versionOf(storage)).toEqual(expect.any(Number));
    const failing = storage.db.transaction().execute(async (trx: Database) => {
      await insertPet(trx, REX);
      expect(versionOf(storage)).toBeUndefined();
      throw new Error("taken back");
    });
    await expect(failing).rejects.toThrow("taken back");
    expect(await listPets(storage.db, { limit: 10 })).toEqual([]);
  });

  test("has the same version until somebody else commits, and another after", async () => {
    const storage = await temporaryStorage();
    await storage.open();
    const before = versionOf(storage);
    expect(versionOf(storage)).toBe(before);
    await storage.write((trx) => insertPet(trx, REX));
    const after = versionOf(storage);
    expect(after).not.toBe(before);
    expect(versionOf(storage)).toBe(after);
  });
});

async function pathOf(db: Database): Promise<string> {
  const { rows } = await sql<{ file: string }>`pragma database_list`.execute(db);
  return rows[0]!.file;
}

test("a read waits neither for a write nor for the lock of another process", async () => {
  const { write, db, url } = await temporaryStorage();
  await write((trx) => insertPet(trx, REX));
  const other = new Sqlite(pathOfFileUrl(url));
  other.exec("begin exclusive");
  const writing = write((trx) => insertPet(trx, REX));
  expect(await listPets(db, { limit: 10 })).toHaveLength(1);
  other.exec("rollback").close();
  await writing;
  expect(await listPets(db, { limit: 10 })).toHaveLength(2);
});
