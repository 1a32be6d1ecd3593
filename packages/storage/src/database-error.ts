import Sqlite from "better-sqlite3";
import type { DatabaseError as PostgresError } from "pg";

/** Matches the result codes for a database that cannot be used: https://sqlite.org/rescode.html */
const SQLITE_OUTAGE = /^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOMEM|NOTADB|PROTOCOL|READONLY)/;
/**
 * The classes of errors about connection, authorization, database name, rollback, resources, operator, system and
 * corruption, and the codes for a read-only server and for timeouts:
 * https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const POSTGRES_OUTAGE = /^(08|28|3D|40|53|57|58|XX|25006|25P0[34]|55P03)/;
const LOCK_NOT_AVAILABLE = "55P03";

/** The database cannot be used in its present state; the message is one line with the reason and the remedy. */
export class DatabaseError extends Error {
  override name = "DatabaseError";
}

/** Whether the database caused the error, because it is locked, full or unreachable. A mistake in a query returns false. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return true;
  if (error instanceof Sqlite.SqliteError) return SQLITE_OUTAGE.test(error.code);
  return isPostgresError(error) && POSTGRES_OUTAGE.test(error.code ?? "");
}

/** Whether a statement timed out waiting for a lock of another transaction. Only PostgreSQL reports this. */
export function isLockTimeout(error: unknown): boolean {
  return isPostgresError(error) && error.code === LOCK_NOT_AVAILABLE;
}

/** Recognizes the error by its fields, because `instanceof` would load `pg` on SQLite too. */
function isPostgresError(error: unknown): error is PostgresError {
  return error instanceof Error && error.constructor.name === "DatabaseError" && "severity" in error;
}
