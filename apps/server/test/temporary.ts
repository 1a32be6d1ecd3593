import type { Schema } from "@openapi-operations/storage/registration";
import type { Storage } from "@openapi-operations/storage/storage";
import * as storage from "@openapi-operations/storage/testing";
import type { Kysely } from "kysely";
import { MIGRATIONS } from "../src/migrations.ts";
import { TABLES, type Tables } from "../src/registrations.ts";

/** A database of the service. */
export type Database = Kysely<Tables>;

/** The schema that it holds. */
export const SCHEMA: Schema = { migrations: MIGRATIONS, tables: TABLES };

/** A connection that is closed after the test. */
export const opened = (url: string): Database => storage.opened(url);

/** A fresh database with every table. */
export const temporaryDatabase = (): Promise<Database> => storage.temporaryDatabase(MIGRATIONS);

/** The storage of a service over a fresh database with every table. */
export const temporaryStorage = (onCommit?: (size: number) => void): Promise<Storage<Tables> & { url: string }> =>
  storage.temporaryStorage(MIGRATIONS, onCommit);

/** The input of a creation with an `Idempotency-Key`, on a connection of its own. */
export const creation = (db: Database, caller: number, key: string) => ({
  operationId: "createPet",
  path: {},
  query: {},
  headers: { "Idempotency-Key": key },
  caller: { id: caller },
  context: { write: <Result>(work: (trx: Database) => Promise<Result>) => db.transaction().execute(work) },
});
