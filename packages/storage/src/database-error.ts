import { SERVICE } from "@openapi-operations/command-line/name";
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
const QUERY_CANCELED = "57014";

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

/** Whether a statement ran or waited for longer than `statement_timeout`, or an operator canceled it. Only PostgreSQL reports this. */
export function isStatementTimeout(error: unknown): boolean {
  return isPostgresError(error) && error.code === QUERY_CANCELED;
}

/** Recognizes the error by its fields, because `instanceof` would load `pg` on SQLite too. */
function isPostgresError(error: unknown): error is PostgresError {
  return error instanceof Error && error.constructor.name === "DatabaseError" && "severity" in error;
}

const DAMAGED = {
  code: /^SQLITE_CORRUPT/,
  state: "is damaged",
  remedy: () =>
    `Stop the service, run \`${SERVICE.name} doctor\`, and replace the file with a backup: \`${SERVICE.name} restore <backup>\`.`,
};

/** The messages for errors of an open file, by SQLite's result code: https://sqlite.org/rescode.html */
const OUTAGES = [
  DAMAGED,
  {
    code: /^SQLITE_FULL/,
    state: "cannot grow",
    remedy: () => "Free some space on its disk; the service then recovers by itself.",
  },
  {
    code: /^SQLITE_(CANTOPEN|IOERR|NOTADB|READONLY)/,
    state: "cannot be read or written",
    remedy: () => `Run \`${SERVICE.name} doctor\`, and check that its disk works.`,
  },
];

const NOT_OPENED = {
  state: "cannot be opened",
  remedy: () =>
    "Check that it is a SQLite database that this user may read and write, or set DATABASE_URL to another file.",
};

/** Adds the path and a remedy to an error of the file, as a `DatabaseError`. Returns all other errors unchanged. */
export function addFilePath(path: string, error: unknown): unknown {
  const outage = OUTAGES.find(({ code }) => error instanceof Sqlite.SqliteError && code.test(error.code));
  return outage === undefined ? error : fileError(path, outage, error as Error);
}

/** Returns the `DatabaseError` for a file that could not be opened. */
export function openError(path: string, error: unknown): DatabaseError {
  const isDamaged = error instanceof Sqlite.SqliteError && DAMAGED.code.test(error.code);
  return fileError(path, isDamaged ? DAMAGED : NOT_OPENED, error as Error);
}

function fileError(
  path: string,
  { state, remedy }: { state: string; remedy: () => string },
  cause: Error,
): DatabaseError {
  return new DatabaseError(`The database file ${path} ${state} (${cause.message}). ${remedy()}`, { cause });
}

/** Whether a lock of another connection caused the error. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** Returns the error for a statement that timed out waiting for a lock. */
export function lockedError(options?: ErrorOptions): DatabaseError {
  return new DatabaseError("The database is locked by another process. Stop that process, or try again.", options);
}

/** The file or its log was moved, removed or replaced while open, so that writes would be lost. */
export class FileMovedError extends DatabaseError {
  constructor(path: string) {
    super(
      `The database file ${path} or its log ${path}-wal was moved, removed or replaced while it is open. Put it back, or stop the service and start it again.`,
    );
  }
}
