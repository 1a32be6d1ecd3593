import { Kysely, PostgresAdapter } from "kysely";
import { isPostgresUrl, pathOfFileUrl } from "./url.ts";
import { postgresDialect } from "./postgres/postgres.dialect.ts";
import { sqliteDialect } from "./sqlite/sqlite.dialect.ts";
import type { FileOptions } from "./sqlite/sqlite.file.ts";

/**
 * The database at a `file:` or `postgres:` URL, which has these tables, opened by its first query; `destroy()` closes it.
 * A file is made where there is none, unless it has to exist.
 */
export function openDatabase<Tables>(url: string, options?: FileOptions): Kysely<Tables> {
  const dialect = isPostgresUrl(url) ? postgresDialect(url) : sqliteDialect(pathOfFileUrl(url), options);
  return new Kysely<Tables>({ dialect });
}

/** Runs work on a database that is opened for it, and closes it. */
export type WithDatabase<Tables> = <Result>(work: (db: Kysely<Tables>) => Promise<Result>) => Promise<Result>;

/** Whether this is PostgreSQL, for the few statements that SQLite has otherwise or needs not. */
export function isPostgres(db: Pick<Kysely<unknown>, "getExecutor">): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
