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

/** What SQLite keeps beside a file. */
const SIDE_FILES = ["-wal", "-shm", "-journal"];

/** What became of the database that a backup has replaced. */
export interface Restored {
  /** Where it is kept, if anything was left of it. */
  aside: string | undefined;
  /** What was carried over from it, in one sentence, and what is lost with it; undefined where it was not read. */
  carried: { summary: string; loss: Loss } | undefined;
}

/** What this version makes of a backup, and what it carries over to it. */
export interface RestoreOptions extends Schema {
  carryOver: CarryOver;
  /** Also replaces a database that cannot be read. */
  force?: boolean;
}

/**
 * Puts a backup in the place of the database, which is kept beside it. Ids that were given since
 * are not given again, and what is carried over is as the old database says; where it is damaged or lost, `force` goes without. Refuses
 * while a process has the database open, and one that opens it meanwhile gets the backup. Throws `DatabaseError`, with the
 * database as it was.
 */
export async function restore(path: string, file: string, options: RestoreOptions): Promise<Restored> {
  const database = realPathOf(path); // a link to it stays one
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
  /** What the backup has given and noted. */
  facts: DatabaseFacts;
  options: RestoreOptions;
}

/** Shows that this version can serve the backup, before anything else is touched. */
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

/** At no time is the path without a file, where a service that starts would make one. */
function replace({ database, incoming, aside, facts, options }: Replacement): Restored {
  const { held, letGo } = lockExclusively(database);
  try {
    const replaced = readUnlessForced(database, options, () => readReplaced(expectReadable(held), facts, options));
    const carried = replaced && withWritableFile(incoming, (restored) => writeCarried(restored, replaced));
    syncToDisk(incoming);
    restrictToOwner(database);
    linkSync(database, aside);
    renameSync(incoming, database);
    return { aside, carried };
  } finally {
    letGo();
  }
}

/** Sets aside a log that was left, which SQLite would else play into the database. A file that is made meanwhile is kept. */
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

function expectReadable(held: Sqlite.Database | undefined): Sqlite.Database {
  if (held === undefined) throw new Error("it is damaged or lost");
  return held;
}

/** Without a log, so that all of it is in the file when it is closed. */
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

/** What root restores stays the service's own. */
function copyOwner(path: string, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  chownSync(path, uid, gid);
}

/**
 * Keeps everybody else from opening the database until it is let go; it can be read where it is not damaged. Only a connection without others can
 * leave WAL mode, which also folds the log into the file, and outside that mode a lock excludes readers as well. Of a file
 * too damaged for that, which nobody can open, the last connection to close still removes the log, so that one which stays
 * belongs to somebody else.
 */
function lockExclusively(database: string): { held?: Sqlite.Database; letGo: () => void } {
  const file = new Sqlite(database, { timeout: 0, fileMustExist: true });
  try {
    file.pragma("journal_mode = delete");
    file.exec("begin exclusive");
    if (file.pragma("journal_mode", { simple: true }) !== "delete") throw new Error("another process holds it");
    return { held: file, letGo: () => file.close() };
  } catch (error) {
    file.close();
    const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code?: string }).code ?? "");
    if (isDamaged && !existsSync(`${database}-wal`)) return { letGo: () => {} };
    throw inUse(database, error as Error);
  }
}

function inUse(database: string, { message }: Error): DatabaseError {
  return new DatabaseError(
    `${database} is in use (${message}). Stop the service and whatever else has it open, then try again.`,
  );
}
