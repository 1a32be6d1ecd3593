import { Kysely } from "kysely";
import { pathOfFileUrl } from "./config.ts";
import type { IdempotencyKeysTable } from "./idempotency/idempotency.table.ts";
import type { AuditTable } from "./keys/audit.table.ts";
import type { ApiKeysTable } from "./keys/keys.table.ts";
import type { PetsTable } from "./pets/pets.table.ts";
import { sqliteDialect } from "./sqlite.dialect.ts";

/** Every table by its name. Times in them are milliseconds since 1970. */
export interface Tables {
  pets: PetsTable;
  api_keys: ApiKeysTable;
  audit: AuditTable;
  idempotency_keys: IdempotencyKeysTable;
}

/** What repositories take: the database, or a transaction on it. */
export type Database = Kysely<Tables>;

/** The database at a `file:` URL, opened by its first query; `destroy()` closes it. */
export function openDatabase(url: string): Database {
  return new Kysely<Tables>({ dialect: sqliteDialect(pathOfFileUrl(url)) });
}
