import Sqlite from "better-sqlite3";
import type { DatabaseError as PostgresError } from "pg";

/** https://sqlite.org/rescode.html */
const SQLITE_OUTAGE = /^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOMEM|NOTADB|PROTOCOL|READONLY)/;
/**
 * Connections, rights, rollbacks and deadlocks, resources, the operator or a timeout, the system, corruption, a server
 * that only reads, a lock not had in time: https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const POSTGRES_OUTAGE = /^(08|28|3D|40|53|57|58|XX|25006|25P0[34]|55P03)/;
const LOCK_NOT_AVAILABLE = "55P03";

/** The database cannot be used as it is; the message is one line that says why and what to do. */
export class DatabaseError extends Error {
  override name = "DatabaseError";
}

/** Whether the error is the state of the database (locked, full, unreachable) and not a mistake in a query. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return true;
  if (error instanceof Sqlite.SqliteError) return SQLITE_OUTAGE.test(error.code);
  return isPostgresError(error) && POSTGRES_OUTAGE.test(error.code ?? "");
}

/** Whether a statement gave up waiting for what another transaction has locked, which only PostgreSQL lets it wait for. */
export function isLockTimeout(error: unknown): boolean {
  return isPostgresError(error) && error.code === LOCK_NOT_AVAILABLE;
}

/** Told by the severity that each has, since on SQLite `pg` need not be loaded. */
function isPostgresError(error: unknown): error is PostgresError {
  return error instanceof Error && error.constructor.name === "DatabaseError" && "severity" in error;
}
