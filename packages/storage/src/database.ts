import { Kysely, PostgresAdapter } from "kysely";
import { isPostgresUrl, pathOfFileUrl } from "./url.ts";
import { postgresDialect } from "./postgres/postgres.dialect.ts";
import { sqliteDialect } from "./sqlite/sqlite.dialect.ts";
import type { FileOptions } from "./sqlite/sqlite.file.ts";

/**
 * Returns the database at a `file:` or `postgres:` URL. The first query opens it; `destroy()` closes it.
 * A missing file is created unless `mustExist` is set.
 */
export function openDatabase<Tables>(url: string, options?: FileOptions): Kysely<Tables> {
  const dialect = isPostgresUrl(url) ? postgresDialect(url) : sqliteDialect(pathOfFileUrl(url), options);
  return new Kysely<Tables>({ dialect });
}

/** Runs `work` on an open database, and closes it. */
export async function useAndClose<Tables, Result>(
  db: Kysely<Tables>,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Opens a database, runs `work` on it and closes it. */
export type WithDatabase<Tables> = <Result>(work: (db: Kysely<Tables>) => Promise<Result>) => Promise<Result>;

/** Whether the database is PostgreSQL, for the few statements that differ from SQLite. */
export function isPostgres(db: Pick<Kysely<unknown>, "getExecutor">): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
