import { columnTypes } from "@openapi-operations/storage/columns";
import type { Migrations } from "@openapi-operations/storage/migrations";
import { type Registration, type Schema, tablesOf } from "@openapi-operations/storage/registration";
import type { OnCommit, Storage } from "@openapi-operations/storage/storage";
import * as storage from "@openapi-operations/storage/testing";
import { type Generated, type Kysely, sql } from "kysely";
import { API_KEY_MIGRATIONS, apiKeys, type ApiKeysTables } from "../src/keys.table.ts";

/** A table whose rows keys add. */
interface ThingsTables {
  things: { id: Generated<number>; name: Generated<string>; created_by: number | null; created_at: number | null };
}

export type Tables = ApiKeysTables & ThingsTables;

/** The database in tests. */
export type Database = Kysely<Tables>;

const things: Registration<ThingsTables> = {
  tables: {
    things: { key: ["id"], noun: ["thing", "things"], addedBy: { operationId: "createThing", resource: "thing" } },
  },
};

export const MIGRATIONS: Migrations = {
  ...API_KEY_MIGRATIONS,
  "0004_create_things": {
    servedBy: "every version",
    up: async (db) => {
      const { id, integer, strict } = columnTypes(db);
      const columns = sql`id ${id}, name text not null default '', created_by ${integer}, created_at ${integer}`;
      await sql`create table things (${columns}) ${strict}`.execute(db);
    },
  },
};

/** The metadata of all tables. */
export const TABLES = tablesOf([things, apiKeys]);

export const SCHEMA: Schema = { migrations: MIGRATIONS, tables: TABLES };

/** Opens a connection that is closed after the test. */
export const opened = (url: string): Database => storage.opened(url);

/** Creates a fresh database with all tables. */
export const temporaryDatabase = (): Promise<Database> => storage.temporaryDatabase(MIGRATIONS);

/** Creates a storage over a fresh database with all tables. */
export const temporaryStorage = (onCommit?: OnCommit): Promise<Storage<Tables> & { url: string }> =>
  storage.temporaryStorage(MIGRATIONS, onCommit);
