import { type Generated, type Kysely, sql } from "kysely";
import { columnTypes } from "../src/columns.ts";
import type { RestoreOptions } from "../src/maintenance/restore.ts";
import type { Migrations } from "../src/migrations.ts";
import { prepared } from "../src/prepared.ts";
import { type Registration, type Schema, tablesOf } from "../src/registration.ts";
import type { OnCommit, Storage } from "../src/storage.ts";
import * as testing from "../src/testing/temporary.ts";

/** A row of the tests. */
export interface Thing {
  id: number;
  name: string;
  size: number;
}

type NewThing = Omit<Thing, "id">;

interface ThingsTables {
  things: NewThing & { id: Generated<number> };
  api_keys: { id: Generated<number>; name: string };
  /** Rows with a key of two columns, none of which the database assigns. */
  labels: { api_key_id: number; label: string; created_at: number };
}

export type Tables = ThingsTables;

/** A database of the tests. */
export type Database = Kysely<Tables>;

const things: Registration<ThingsTables> = {
  tables: {
    things: { key: ["id"], noun: ["thing", "things"] },
    api_keys: { key: ["id"] },
    labels: { key: ["api_key_id", "label"], noun: ["label", "labels"] },
  },
};

export const MIGRATIONS: Migrations = {
  "0001_create_things": {
    servedBy: "every version",
    up: async (db) => {
      const { id, integer, strict } = columnTypes(db);
      await sql`create table things (id ${id}, name text not null, size ${integer} not null check (size > 0)) ${strict}`.execute(
        db,
      );
      await sql`create index things_size on things (size)`.execute(db);
      await sql`create table api_keys (id ${id}, name text not null) ${strict}`.execute(db);
    },
  },
  "0002_create_labels": {
    servedBy: "every version",
    up: async (db) => {
      const { integer, strictWithoutRowid } = columnTypes(db);
      await sql`create table labels (api_key_id ${integer} not null references api_keys (id), label text not null,
        created_at ${integer} not null, primary key (api_key_id, label)) ${strictWithoutRowid}`.execute(db);
    },
  },
};

/** The schema of the tests. */
export const SCHEMA: Schema = { migrations: MIGRATIONS, tables: tablesOf([things]) };

/** The restore options: nothing but ids is kept. */
export const OPTIONS: RestoreOptions = {
  ...SCHEMA,
  keptData: {
    read: () => () => ({ summary: "Nothing is kept.", added: {} }),
    unread: { risk: "all data is lost", consequence: "all data is lost", remedy: "Look." },
  },
};

/** A connection that is closed after the test. */
export const opened = (url: string): Database => testing.opened(url);

/** A fresh database with every table. */
export const temporaryDatabase = (): Promise<Database> => testing.temporaryDatabase(MIGRATIONS);

/** The storage over a fresh database with every table. */
export const temporaryStorage = (onCommit?: OnCommit): Promise<Storage<Tables> & { url: string }> =>
  testing.temporaryStorage(MIGRATIONS, onCommit);

/** Adds a thing and returns it with its id. */
export async function insertThing(db: Kysely<any>, thing: NewThing): Promise<Thing> {
  const [added] = await insertion(db, thing);
  return added!;
}

/** Returns all things by id; synchronously on an open file. */
export const listThings = (db: Kysely<any>): Promise<Thing[]> => every(db, {});

/** Returns the thing with this id, if there is one; synchronously on an open file. */
export async function findThing(db: Kysely<any>, id: number): Promise<Thing | undefined> {
  const [thing] = await byId(db, { id });
  return thing;
}

const insertion = prepared((db: Kysely<ThingsTables>, { name, size }: NewThing) =>
  db.insertInto("things").values({ name, size }).returning(["id", "name", "size"]),
);
const every = prepared((db: Kysely<ThingsTables>) => db.selectFrom("things").selectAll().orderBy("id"));
const byId = prepared((db: Kysely<ThingsTables>, { id }: { id: number }) =>
  db.selectFrom("things").selectAll().where("id", "=", id),
);
