import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { describe, expect, test } from "vitest";
import { DatabaseError } from "../src/database.errors.ts";
import type { Database } from "../src/database.ts";
import { migrate, MIGRATIONS } from "../src/migrations.ts";
import { opened, temporaryUrl } from "./temporary.ts";

const petstore = fileURLToPath(new URL("../bin/petstore.js", import.meta.url));

const creating = (table: string): Migration => ({
  up: async (db) => void (await sql`create table ${sql.table(table)} (id integer)`.execute(db)),
});

describe("migrate", () => {
  test("names what it applied, and finds nothing to do the second time", async () => {
    const db = opened(await temporaryUrl());
    expect(await migrate(db)).toEqual(Object.keys(MIGRATIONS));
    expect(await migrate(db)).toEqual([]);
  });

  test("applies all that is missing or, when one fails, nothing", async () => {
    const db = opened(await temporaryUrl());
    const failing = { up: async () => Promise.reject(new Error("no")) };
    await expect(migrate(db, { "1": creating("a"), "2": failing })).rejects.toThrow(
      new DatabaseError("The database could not be migrated and is as it was (no)."),
    );
    expect(await tablesOf(db)).toEqual([]);
    expect(await migrate(db, { "1": creating("a"), "2": creating("b") })).toEqual(["1", "2"]);
    expect(await tablesOf(db)).toEqual(["a", "b"]);
  });

  test("refuses a database that a newer version has migrated", async () => {
    const db = opened(await temporaryUrl());
    await migrate(db, { "1": creating("a"), "2": creating("b") });
    const older = migrate(db, { "1": creating("a") });
    await expect(older).rejects.toThrow(DatabaseError);
    await expect(older).rejects.toThrow(
      "The database is newer than this program, which does not know its migration 2. Run the version that made it, or a later one.",
    );
  });

  test("takes turns when four processes start at once on a fresh database", { timeout: 60_000 }, async () => {
    for (let round = 0; round < 2; round++) {
      const env = { ...process.env, DATABASE_URL: await temporaryUrl() };
      const starts = Array.from({ length: 4 }, () =>
        promisify(execFile)(process.execPath, [petstore, "migrate"], { env }),
      );
      const outputs = (await Promise.all(starts)).map(({ stdout }) => stdout.trim());
      expect(outputs.toSorted()).toEqual([
        `Applied ${Object.keys(MIGRATIONS).join(", ")}.`,
        ...Array(3).fill("The database is up to date."),
      ]);
    }
  });
});

async function tablesOf(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.map((table) => table.name).toSorted();
}
