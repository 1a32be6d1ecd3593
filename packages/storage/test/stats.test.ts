import { statSync } from "node:fs";
import { resolve } from "node:path";
import { NAME } from "@platform/name";
import { temporaryUrl } from "@platform/test-support/temporary";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { databaseStats, type TableStats } from "../src/maintenance/stats.ts";
import { migrate } from "../src/migrations.ts";
import { isPostgresUrl, pathOfFileUrl } from "../src/url.ts";
import { type Database, MIGRATIONS, opened, SCHEMA } from "./things.ts";

const MINUTE = 60_000;

/** A database with things, and two stored responses, one minute apart. */
async function filled(things: number): Promise<{ url: string; db: Database }> {
  const url = await temporaryUrl();
  const db = opened(url);
  await migrate(db, MIGRATIONS);
  await db.insertInto("api_keys").values({ name: "shop" }).execute();
  const rows = Array.from({ length: things }, (_, at) => ({ name: `thing ${at}`, size: at + 1 }));
  for (let at = 0; at < rows.length; at += 500)
    await db
      .insertInto("things")
      .values(rows.slice(at, at + 500))
      .execute();
  const response = (key: string, created_at: number) => ({
    api_key_id: 1,
    key,
    request_hash: "",
    answer: "",
    created_at,
  });
  await db
    .insertInto("idempotency_keys")
    .values([response("a", MINUTE), response("b", 2 * MINUTE)])
    .execute();
  return { url, db };
}

const named = (tables: TableStats[], name: string): TableStats => tables.find(({ table }) => table === name)!;

test("stats counts rows, and reads bytes with indexes and the times of a table that has them", async () => {
  const { url } = await filled(1_500);
  const { bytes, tables } = await databaseStats(url, SCHEMA.tables);
  expect(tables.map(({ table }) => table)).toEqual(["things", "api_keys", "idempotency_keys"]);
  const things = named(tables, "things");
  expect(things).toMatchObject({ rows: 1_500, rowsAre: "exact", bytesAre: "exact", oldest: undefined });
  expect(things.bytes).toBeGreaterThan(1_500 * 20);
  expect(bytes).toBeGreaterThan(things.bytes);
  expect(named(tables, "idempotency_keys")).toMatchObject({ rows: 2, oldest: MINUTE, newest: 2 * MINUTE });
});

test("stats counts no more rows than the limit, and says which numbers are estimates", async () => {
  const { url, db } = await filled(1_500);
  if (isPostgresUrl(url)) await sql`analyze`.execute(db);
  const exact = await databaseStats(url, SCHEMA.tables);
  const { tables } = await databaseStats(url, SCHEMA.tables, { rows: 1, pages: 1 });
  expect(named(tables, "things")).toMatchObject({ rows: 1_500, rowsAre: "estimate" });
  expect(named(tables, "api_keys")).toMatchObject({ rows: 1, rowsAre: "exact" });
  const bytes = named(tables, "things").bytes / named(exact.tables, "things").bytes;
  expect(bytes).toBeGreaterThan(0.5);
  expect(bytes).toBeLessThan(2);
  expect(named(tables, "idempotency_keys").oldest).toBeUndefined(); // finding it would read the table
});

test("stats leaves out tables that the database does not have yet", async () => {
  const url = await temporaryUrl();
  await migrate(opened(url), { "0001_create_things": MIGRATIONS["0001_create_things"]! });
  const { tables } = await databaseStats(url, SCHEMA.tables);
  expect(tables.map(({ table }) => table)).toEqual(["things", "api_keys"]);
});

test("stats has the free space and the log of a SQLite file, and the dead rows of PostgreSQL", async () => {
  const { url, db } = await filled(1_500);
  await db.deleteFrom("things").execute();
  const stats = await databaseStats(url, SCHEMA.tables);
  const { freeBytes = 0 } = stats;
  const sizes = isPostgresUrl(url)
    ? { database: "PostgreSQL", walBytes: undefined }
    : { database: "SQLite", walBytes: statSync(`${pathOfFileUrl(url)}-wal`).size };
  expect({ ...stats, deadRows: typeof stats.deadRows }).toMatchObject({
    database: sizes.database,
    deadRows: isPostgresUrl(url) ? "number" : "undefined", // the server counts them later
  });
  expect(stats.walBytes).toBe(sizes.walBytes);
  expect(freeBytes > 1_500 * 20).toBe(!isPostgresUrl(url));
  expect(stats.bytes).toBeGreaterThan(freeBytes);
});

test("stats of a missing SQLite file fails with the remedy, and creates no file", async () => {
  const path = resolve("/nonexistent/things.db");
  await expect(databaseStats(`file:${path}`, SCHEMA.tables)).rejects.toThrow(
    `There is no database at ${path}. Start the service or run \`${NAME} migrate\` to create it, or set DATABASE_URL to another file.`,
  );
});
