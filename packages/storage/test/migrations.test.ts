import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { DatabaseError } from "../src/database-error.ts";
import { appliedMigrations, migrate, type Migration } from "../src/migrations.ts";
import { type Database, MIGRATIONS, opened } from "./things.ts";

/** A migration that every version can serve, from its statements. */
const adding = (...statements: string[]): Migration => ({ servedBy: "every version", ...running(statements) });

/** A migration that versions with an earlier one can serve. */
const since = (name: string, ...statements: string[]): Migration => ({
  servedBy: { since: name },
  ...running(statements),
});

const creating = (table: string): Migration => adding(`create table ${table} (id integer)`);

test("appliedMigrations returns the migrations of a migrated database, and none of another program's", async () => {
  const db = opened(await temporaryUrl());
  expect(await appliedMigrations(db)).toEqual([]);
  await sql`create table other (id integer)`.execute(db);
  expect(await appliedMigrations(db)).toEqual([]);
  await migrate(db, { "1": creating("a") });
  expect(await appliedMigrations(db)).toEqual([{ name: "1", servedBy: "every version" }]);
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
      await migrate(db, migrations, { report: (task) => reported.push(task) });
    expect(reported).toEqual(["Applying 1", "Applying 2", "Applying 3"]);
  });

  test("applies every missing migration, or none if one fails", async () => {
    const db = opened(await temporaryUrl());
    const failing: Migration = { servedBy: "every version", up: async () => Promise.reject(new Error("no")) };
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

describe("migrate with `mayBeNewer`", () => {
  const ALL = {
    "1": creating("a"),
    "2": creating("b"),
    "3": since("2", "drop table a"),
    "4": adding("alter table b add column size integer"),
  };
  const upTo = (count: number) => Object.fromEntries(Object.entries(ALL).slice(0, count));

  test("leaves a newer database as it is if each newer migration allows this version", async () => {
    const db = opened(await temporaryUrl());
    await migrate(db, ALL);
    const before = await appliedMigrations(db);
    for (const count of [2, 3]) expect(await migrate(db, upTo(count), { mayBeNewer: true })).toEqual([]);
    expect(await appliedMigrations(db)).toEqual(before);
  });

  test("rejects it with the reason if one does not", async () => {
    const db = opened(await temporaryUrl());
    await migrate(db, ALL);
    await expect(migrate(db, upTo(1), { mayBeNewer: true })).rejects.toThrow(
      new DatabaseError(
        "The database is newer than this program, which does not know its migration 2, 3, 4. Versions since 2 can serve it after 3. Run the version that made it, or a later one.",
      ),
    );
    await expect(migrate(db, { ...upTo(2), "2a": creating("c") }, { mayBeNewer: true })).rejects.toThrow(
      "does not know its migration 3, 4. It lacks 2a, which this program has. Run a version with all of these migrations.",
    );
  });

  test("records what versions before the column did not, and rejects a newer database without a record", async () => {
    const db = opened(await temporaryUrl());
    await migrate(db, upTo(3));
    await sql`alter table kysely_migration drop column served_by`.execute(db);
    const earlier = migrate(db, upTo(2), { mayBeNewer: true });
    await expect(earlier).rejects.toThrow("its migration 3. Run the version that made it, or a later one.");
    expect(await migrate(db, ALL)).toEqual(["4"]);
    expect((await appliedMigrations(db)).map(({ servedBy }) => servedBy)).toEqual([
      "every version",
      "every version",
      "2",
      "every version",
    ]);
  });
});

describe("a migration for every version", () => {
  const TABLES = [
    "create table owners (id integer primary key)",
    "create table pets (id integer primary key, name text not null, status text default 'sold', age integer)",
    "create index pets_name on pets (name)",
  ];

  test("may add tables, indexes, rows, and columns that earlier versions need not know", async () => {
    const db = opened(await temporaryUrl());
    const additions = {
      "1": adding(...TABLES),
      "2 a table": adding("create table meals (id integer primary key, at text not null unique)"),
      "3 a column that may be null": adding("alter table pets add column size integer"),
      "4 a column with a default": adding("alter table pets add column weight integer not null default 1"),
      "5 a reference": adding("alter table pets add column owner integer references owners (id)"),
      "6 a check of a new column": adding("alter table pets add column height integer check (height > 0)"),
      "7 an index": adding("create index pets_age on pets (age)", "drop index pets_name"),
      "8 a row": adding("insert into pets (id, name) values (1, 'Rex')"),
    };
    expect(await migrate(db, additions)).toEqual(Object.keys(additions));
  });

  test("is undone, and rejected with the reason, if it removes, changes or restricts anything", async () => {
    const url = await temporaryUrl();
    const db = opened(url);
    const first = { "1": adding(...TABLES) };
    await migrate(db, first);
    const before = await tablesOf(db);
    for (const [fault, ...statements] of url.startsWith("file:") ? [...FAULTS, ...SQLITE] : [...FAULTS, ...POSTGRES]) {
      await expect(migrate(db, { ...first, "2": adding(...statements) })).rejects.toThrow(
        `The database could not be migrated and is unchanged (2 ${fault}, so earlier versions cannot serve the database after it. Declare since which migration versions can: \`servedBy: { since: … }\`).`,
      );
      expect(await tablesOf(db)).toEqual(before);
    }
    expect(await migrate(db, { ...first, "2": since("1", "alter table pets drop column age") })).toEqual(["2"]);
  });

  /** A fault, and statements with it. */
  type Fault = [fault: string, ...statements: string[]];
  const UNIQUE = "restricts the rows of an earlier table by the unique index pets_age";
  const TRIGGER = "restricts the rows of an earlier table by the trigger pets_check";
  const FAULTS: Fault[] = [
    ["removes the table pets", "drop table pets"],
    ["removes the table pets", "alter table pets rename to animals"],
    ["removes the column pets.age", "alter table pets drop column age"],
    ["removes the column pets.age", "alter table pets rename column age to years"],
    [UNIQUE, "create unique index pets_age on pets (age)"],
  ];
  const SQLITE: Fault[] = [
    [TRIGGER, "create trigger pets_check before insert on pets begin select raise(abort, 'no'); end"],
    [
      "changes the column pets.age",
      "drop table pets",
      "create table pets (id integer primary key, name text not null, status text default 'sold', age integer not null)",
    ],
    [
      "changes the table pets",
      "drop table pets",
      "create table pets (id integer primary key, name text not null check (name <> ''), status text default 'sold', age integer)",
    ],
  ];
  const POSTGRES: Fault[] = [
    [
      TRIGGER,
      "create function no() returns trigger language plpgsql as 'begin return null; end'",
      "create trigger pets_check before insert on pets for each row execute function no()",
    ],
    ["changes the column pets.age", "alter table pets alter column age set not null"],
    ["changes the column pets.age", "alter table pets alter column age type text"],
    [
      "restricts the rows of an earlier table by the column pets.size",
      "alter table pets add column size integer not null",
    ],
    [
      "restricts the rows of an earlier table by the constraint pets_name_check",
      "alter table pets add check (name <> '')",
    ],
  ];
});

function running(statements: string[]): Pick<Migration, "up"> {
  return {
    up: async (db) => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}

async function tablesOf(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.map((table) => table.name).toSorted();
}
