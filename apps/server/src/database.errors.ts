import Sqlite from "better-sqlite3";

/** The database cannot be used as it is; the message is one line that says why and what to do. */
export class DatabaseError extends Error {
  override name = "DatabaseError";
}

/** Whether the error is the state of the database (locked, full, unreadable) and not a mistake in a query. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return true;
  return (
    error instanceof Sqlite.SqliteError &&
    /^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOMEM|NOTADB|PROTOCOL|READONLY)/.test(error.code)
  );
}
