import { migrate } from "@openapi-operations/storage/migrations";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../src/migrations.ts";
import type { Tables } from "../../src/registrations.ts";
import { expectError, json, startService } from "../petstore.ts";
import { opened } from "../temporary.ts";
import { EARLIER, earlierDatabase, FIXTURES } from "./earlier-database.ts";
import { schemaOf } from "./schema.ts";

const MAX = { name: "Max", categoryId: 2, status: "pending" } as const;

test("a fresh database has the tables of the last fixture, and may have more", async () => {
  const fresh = opened(await temporaryUrl());
  expect((await migrate(fresh, MIGRATIONS)).slice(0, FIXTURES.length)).toEqual(FIXTURES);
  await expectTablesOf(await lastFixture(), fresh);
});

describe.each(FIXTURES.map((fixture, at) => ({ fixture, applied: FIXTURES.slice(0, at + 1) })))(
  "a database after $fixture",
  ({ fixture, applied }) => {
    test("has the tables that its migrations create", async () => {
      const [fresh, earlier] = [opened(await temporaryUrl()), opened(await earlierDatabase(fixture))];
      await migrate(fresh, Object.fromEntries(applied.map((name) => [name, MIGRATIONS[name]!])));
      expect(await tablesOf(fresh)).toEqual(await tablesOf(earlier));
      await expectTablesOf(earlier, fresh);
    });

    test("migrates to the tables of the last fixture, and keeps its rows with null in new columns", async () => {
      const db = opened(await earlierDatabase(fixture));
      const before = await rowsOfEach(db, await tablesOf(db));
      const recorded = await rowsOf(db, "kysely_migration");
      const missing = FIXTURES.slice(applied.length);

      expect((await migrate(db, MIGRATIONS)).slice(0, missing.length)).toEqual(missing);
      await expectTablesOf(await lastFixture(), db);
      const recordedNow = recorded.map((row) => ({ ...row, served_by: "every version" }));
      expect((await rowsOf(db, "kysely_migration")).slice(0, applied.length)).toEqual(recordedNow);
      for (const [table, rows] of before) {
        const columns = await columnsOf(db, table);
        const nulls = Object.fromEntries(columns.map((column) => [column, null]));
        expect(rows, table).not.toEqual([]);
        expect(await rowsOf(db, table), table).toEqual(rows.map((row) => ({ ...nulls, ...row })));
      }
    });

    test("is served with its animals and API keys", async () => {
      await using service = await startService({ DATABASE_URL: await earlierDatabase(fixture) });
      const get = async (path: string, key: string) => (await service.request(path, { key })).json();
      expect(await get("/pets", EARLIER.key)).toEqual(EARLIER.pets);
      expect(await get("/pets/2", EARLIER.reader)).toEqual(EARLIER.pets[1]);
      const created = await service.request("/pets", { ...json(MAX), key: EARLIER.key });
      expect(created.status).toBe(201);
      expect(await created.json()).toEqual({ id: 3, ...MAX });
      await expectError(await service.request("/pets", { ...json(MAX), key: EARLIER.reader }), 403, "forbidden");
    });
  },
);

const lastFixture = async () => opened(await earlierDatabase(FIXTURES.at(-1)!));

/** Expects the tables of one database in the other, each with the same definition. */
async function expectTablesOf(expected: Kysely<Tables>, db: Kysely<Tables>): Promise<void> {
  const tables = await tablesOf(expected);
  expect(await schemaOf(db, tables)).toEqual(await schemaOf(expected, tables));
}

/** The names of all tables but Kysely's own. */
async function tablesOf(db: Kysely<Tables>): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.map(({ name }) => name).toSorted();
}

async function columnsOf(db: Kysely<Tables>, table: string): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.find(({ name }) => name === table)!.columns.map(({ name }) => name);
}

async function rowsOfEach(db: Kysely<Tables>, tables: string[]): Promise<[table: string, rows: object[]][]> {
  return Promise.all(tables.map(async (table) => [table, await rowsOf(db, table)]));
}

async function rowsOf(db: Kysely<Tables>, table: string): Promise<object[]> {
  const { rows } = await sql<object>`select * from ${sql.table(table)} order by 1`.execute(db);
  return rows;
}
