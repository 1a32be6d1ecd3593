import { NAME } from "@platform/command-line/name";
import Sqlite from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";

const DAMAGED = {
  code: /^SQLITE_CORRUPT/,
  state: "is damaged",
  remedy: `Stop the service, see what \`${NAME} doctor\` finds, and put a backup in its place with \`${NAME} restore <backup>\`.`,
};

/** The messages for errors of an open file, by SQLite's result code: https://sqlite.org/rescode.html */
const OUTAGES = [
  DAMAGED,
  { code: /^SQLITE_FULL/, state: "cannot grow", remedy: "Make room on its disk; the service then goes on by itself." },
  {
    code: /^SQLITE_(CANTOPEN|IOERR|NOTADB|READONLY)/,
    state: "cannot be read or written",
    remedy: `See what \`${NAME} doctor\` finds, and that its disk works.`,
  },
];

const NOT_OPENED = {
  state: "cannot be opened",
  remedy: "Check that it is a SQLite database that this user may read and write, or set DATABASE_URL to another file.",
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

function fileError(path: string, { state, remedy }: { state: string; remedy: string }, cause: Error): DatabaseError {
  return new DatabaseError(`The database file ${path} ${state} (${cause.message}). ${remedy}`, { cause });
}

/** Whether a lock of another connection caused the error. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** Returns the error for a statement that timed out waiting for a lock. */
export function lockedError(options?: ErrorOptions): DatabaseError {
  return new DatabaseError("The database is locked by another process. End that process, or try again.", options);
}

/** The file or its log was moved, removed or replaced while open, so that writes would be lost. */
export class FileMovedError extends DatabaseError {
  constructor(path: string) {
    super(
      `The database file ${path} or its log ${path}-wal was moved, removed or replaced while it is open. Put it back, or stop the service and start it again.`,
    );
  }
}
