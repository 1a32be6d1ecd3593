import { temporaryUrl } from "@platform/test-support/temporary";
import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { describe, expect, test } from "vitest";
import { DatabaseError } from "../src/database-error.ts";
import { appliedMigrations, migrate } from "../src/migrations.ts";
import { type Database, MIGRATIONS, opened } from "./things.ts";

const creating = (table: string): Migration => ({
  up: async (db) => void (await sql`create table ${sql.table(table)} (id integer)`.execute(db)),
});

test("appliedMigrations returns the names of a migrated database, and none of another program's", async () => {
  const db = opened(await temporaryUrl());
  expect(await appliedMigrations(db)).toEqual([]);
  await sql`create table other (id integer)`.execute(db);
  expect(await appliedMigrations(db)).toEqual([]);
  await migrate(db, { "1": creating("a") });
  expect(await appliedMigrations(db)).toEqual(["1"]);
});

describe("migrate", () => {
  test("returns the names of the applied migrations, and none at the second call", async () => {
    const db = opened(await temporaryUrl());
    expect(await migrate(db, MIGRATIONS)).toEqual(Object.keys(MIGRATIONS));
    expect(await migrate(db, MIGRATIONS)).toEqual([]);
  });

  test("reports the name of each migration that it applies", async () => {
    const db = opened(await temporaryUrl());
    const reported: string[] = [];
    for (const migrations of [{ "1": creating("a") }, { "1": creating("a"), "2": creating("b"), "3": creating("c") }])
      await migrate(db, migrations, (task) => reported.push(task));
    expect(reported).toEqual(["Applying 1", "Applying 2", "Applying 3"]);
  });

  test("applies every missing migration, or none if one fails", async () => {
    const db = opened(await temporaryUrl());
    const failing = { up: async () => Promise.reject(new Error("no")) };
    await expect(migrate(db, { "1": creating("a"), "2": failing })).rejects.toThrow(
      new DatabaseError("The database could not be migrated and is unchanged (no)."),
    );
    await expect(migrate(db, { "2": failing })).rejects.toMatchObject({ cause: new Error("no") });
    expect(await tablesOf(db)).toEqual([]);
    expect(await migrate(db, { "1": creating("a"), "2": creating("b") })).toEqual(["1", "2"]);
    expect(await tablesOf(db)).toEqual(["a", "b"]);
  });

  test("rejects a database that was migrated by a newer version", async () => {
    const db = opened(await temporaryUrl());
    await migrate(db, { "1": creating("a"), "2": creating("b") });
    const older = migrate(db, { "1": creating("a") });
    await expect(older).rejects.toThrow(DatabaseError);
    await expect(older).rejects.toThrow(
      "The database is newer than this program, which does not know its migration 2. Run the version that made it, or a later one.",
    );
  });
});

async function tablesOf(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.map((table) => table.name).toSorted();
}
