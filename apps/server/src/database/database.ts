import { Kysely, PostgresAdapter } from "kysely";
import { isPostgresUrl, pathOfFileUrl } from "./url.ts";
import type { IdempotencyKeysTable } from "../idempotency/idempotency.table.ts";
import type { AuditTable } from "../keys/audit.table.ts";
import type { ApiKeysTable } from "../keys/keys.table.ts";
import type { PetsTable } from "../pets/pets.table.ts";
import { postgresDialect } from "./postgres.dialect.ts";
import { sqliteDialect } from "./sqlite.dialect.ts";

/** Every table by its name. Times in them are milliseconds since 1970. */
export interface Tables {
  pets: PetsTable;
  api_keys: ApiKeysTable;
  audit: AuditTable;
  idempotency_keys: IdempotencyKeysTable;
}

/** The names of the tables. */
export const TABLES = ["pets", "api_keys", "audit", "idempotency_keys"] as const satisfies (keyof Tables)[];

/** What repositories take: the database, or a transaction on it. */
export type Database = Kysely<Tables>;

/**
 * The database at a `file:` or `postgres:` URL, opened by its first query; `destroy()` closes it. A file is made where
 * there is none, unless it has to exist.
 */
export function openDatabase(url: string, { mustExist }: { mustExist?: true } = {}): Database {
  const dialect = isPostgresUrl(url) ? postgresDialect(url) : sqliteDialect(pathOfFileUrl(url), mustExist);
  return new Kysely<Tables>({ dialect });
}

/** Whether this is PostgreSQL, for the few statements that SQLite has otherwise or needs not. */
export function isPostgres(db: Pick<Kysely<unknown>, "getExecutor">): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
