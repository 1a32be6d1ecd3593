import { chownSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { copyChecked, partialOf, removePartial, syncToDisk } from "./backup.ts";
import { openDatabase } from "../database.ts";
import { DatabaseError } from "../database-error.ts";
import { migrate, type Migrations } from "../migrations.ts";
import { restrictToOwner } from "../sqlite/sqlite.file.ts";
import { realPathOf } from "../url.ts";
import { type DatabaseFacts, factsOf, type Loss, readReplaced, type CarryOver, writeCarried } from "./carry-over.ts";
import type { Schema } from "../registration.ts";

/** The suffixes of the files that SQLite creates beside a database. */
const SIDE_FILES = ["-wal", "-shm", "-journal"];

/** The result of a restore. */
export interface Restored {
  /** The path of the replaced database, or of the log that was left of it; undefined if there was neither. */
  aside: string | undefined;
  /** One sentence about the data carried over, and the rows lost; undefined if the replaced database was not read. */
  carried: { summary: string; loss: Loss } | undefined;
}

/** The schema to which a backup is migrated, and the data carried over to it. */
export interface RestoreOptions extends Schema {
  carryOver: CarryOver;
  /** Also replaces a database that cannot be read. */
  force?: boolean;
}

/**
 * Replaces the database with a backup and keeps the replaced database beside it. Ids assigned since the backup are not
 * assigned again, and `carryOver` copies data from the replaced database. With `force`, a damaged or lost database is
 * replaced without both. Throws `DatabaseError` and leaves the database unchanged on failure, also if a process has the
 * database open. A process that opens it meanwhile gets the backup.
 */
export async function restore(path: string, file: string, options: RestoreOptions): Promise<Restored> {
  const database = realPathOf(path); // a symbolic link to it stays a link
  const incoming = `${database}.petstore-restoring`;
  if ([incoming, partialOf(incoming)].includes(realPathOf(file))) {
    throw new DatabaseError(`${file} is where this command has to write. Rename it first.`);
  }
  removePartial(incoming);
  mkdirSync(dirname(database), { recursive: true });
  copyChecked(file, incoming, options.migrations);
  try {
    const facts = await migrateBackup(incoming, file, options.migrations);
    copyOwner(incoming, existsSync(database) ? database : dirname(database));
    const aside = `${database}.before-${new Date().toISOString().replaceAll(":", "")}`;
    const replacement = { database, incoming, aside, facts, options };
    return existsSync(database) ? replace(replacement) : putInPlace(replacement);
  } finally {
    for (const suffix of ["", ...SIDE_FILES]) rmSync(incoming + suffix, { force: true });
    syncToDisk(dirname(database));
  }
}

interface Replacement {
  database: string;
  incoming: string;
  aside: string;
  /** The last ids and the latest time of the backup. */
  facts: DatabaseFacts;
  options: RestoreOptions;
}

/** Migrates the backup before anything else is changed, which shows that this version can serve it. */
async function migrateBackup(incoming: string, file: string, migrations: Migrations): Promise<DatabaseFacts> {
  const db = openDatabase(`file:${incoming}`);
  try {
    await migrate(db, migrations);
  } catch (cause) {
    throw new DatabaseError(`${file} cannot be restored. ${(cause as Error).message}`, { cause });
  } finally {
    await db.destroy();
  }
  return withWritableFile(incoming, factsOf);
}

/** Replaces an existing database. The path always has a file, because a service that starts would create a missing one. */
function replace({ database, incoming, aside, facts, options }: Replacement): Restored {
  const { file, release } = lockExclusively(database);
  try {
    const replaced = readUnlessForced(database, options, () => readReplaced(expectReadable(file), facts, options));
    const carried = replaced && withWritableFile(incoming, (restored) => writeCarried(restored, replaced));
    syncToDisk(incoming);
    restrictToOwner(database);
    linkSync(database, aside);
    renameSync(incoming, database);
    return { aside, carried };
  } finally {
    release();
  }
}

/**
 * Restores where there is no database. A remaining log is moved aside, because SQLite would apply it to the backup.
 * A database created meanwhile is not overwritten.
 */
function putInPlace({ database, incoming, aside, options }: Replacement): Restored {
  const left = SIDE_FILES.filter((suffix) => existsSync(database + suffix));
  readUnlessForced(database, options, () => expectReadable(undefined));
  for (const suffix of left) renameSync(database + suffix, aside + suffix);
  try {
    linkSync(incoming, database);
  } catch (error) {
    for (const suffix of left) renameSync(aside + suffix, database + suffix);
    throw inUse(database, error as Error);
  }
  return { aside: left[0] === undefined ? undefined : aside + left[0], carried: undefined };
}

function readUnlessForced<Result>(
  database: string,
  { force, carryOver }: RestoreOptions,
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (cause) {
    if (force) return undefined;
    throw new DatabaseError(
      `${database} cannot be read (${(cause as Error).message}): ${carryOver.unread.consequence}, and ids that were given ` +
        "since would be given again. To restore it nonetheless, add --force.",
      { cause },
    );
  }
}

function expectReadable(file: Sqlite.Database | undefined): Sqlite.Database {
  if (file === undefined) throw new Error("it is damaged or lost");
  return file;
}

/** Runs `act` on the database without a write-ahead log, so that everything is in the file once it is closed. */
function withWritableFile<Result>(path: string, act: (file: Sqlite.Database) => Result): Result {
  const file = new Sqlite(path, { fileMustExist: true });
  try {
    file.pragma("journal_mode = delete");
    file.pragma("synchronous = full");
    return act(file);
  } finally {
    file.close();
  }
}

/** Gives the file the owner of `like` if root restores, so that the service can still open it. */
function copyOwner(path: string, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  chownSync(path, uid, gid);
}

/**
 * Locks the database against all other connections until `release` is called. Returns the connection unless the file is
 * too damaged to open. Only the sole connection can leave WAL mode, which also moves the log into the file; outside WAL
 * mode an exclusive lock excludes readers too. For a damaged file, a log that remains after closing shows that another
 * process has it open, because the last connection to close removes the log.
 */
function lockExclusively(database: string): { file?: Sqlite.Database; release: () => void } {
  const file = new Sqlite(database, { timeout: 0, fileMustExist: true });
  try {
    file.pragma("journal_mode = delete");
    file.exec("begin exclusive");
    if (file.pragma("journal_mode", { simple: true }) !== "delete") throw new Error("another process holds it");
    return { file, release: () => file.close() };
  } catch (error) {
    file.close();
    const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code?: string }).code ?? "");
    if (isDamaged && !existsSync(`${database}-wal`)) return { release: () => {} };
    throw inUse(database, error as Error);
  }
}

function inUse(database: string, { message }: Error): DatabaseError {
  return new DatabaseError(
    `${database} is in use (${message}). Stop the service and whatever else has it open, then try again.`,
  );
}
