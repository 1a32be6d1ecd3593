import { chownSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Report } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import Sqlite from "better-sqlite3";
import { checkCopy, copyChecked, partialOf, removePartial, syncFile, syncFolder } from "./backup.ts";
import { openDatabase } from "../database.ts";
import { DatabaseError } from "../database-error.ts";
import { migrate } from "../migrations.ts";
import { restrictToOwner } from "../sqlite/sqlite.file.ts";
import { realPathOf } from "../url.ts";
import { type DatabaseFacts, factsOf, type Loss, readReplaced, type KeptData, writeKept } from "./kept-data.ts";
import type { Schema } from "../registration.ts";

/** The suffixes of the files that SQLite creates beside a database. */
const SIDE_FILES = ["-wal", "-shm", "-journal"];

/** The result of a restore. */
export interface Restored {
  /** The path of the replaced database, or of its log if only the log existed; undefined if neither existed. */
  aside: string | undefined;
  /** A sentence about the kept data, and the lost rows; undefined if the replaced database was not read. */
  kept: { summary: string; loss: Loss } | undefined;
}

/** The options of a restore. The backup is migrated to the schema. */
export interface RestoreOptions extends Schema {
  keptData: KeptData;
  /** Also replaces a database that cannot be read. */
  force?: boolean;
  report?: Report | undefined;
}

/**
 * Replaces the database with a backup and keeps the replaced database beside it. Ids assigned since the backup are not
 * assigned again, and `keptData` copies data from the replaced database. With `force`, a damaged or lost database is also
 * replaced; then nothing is kept. On failure, throws `DatabaseError` and leaves the database unchanged. A process
 * that has the database open makes the restore fail; a process that opens it during the restore gets the backup.
 */
export async function restore(path: string, file: string, options: RestoreOptions): Promise<Restored> {
  const database = realPathOf(path); // a symbolic link to the database stays a link
  const incoming = `${database}.${SERVICE.name}-restoring`;
  if ([incoming, partialOf(incoming)].includes(realPathOf(file))) {
    throw new DatabaseError(`${file} is where this command has to write. Rename it first.`);
  }
  removePartial(incoming);
  mkdirSync(dirname(database), { recursive: true });
  copyChecked(file, incoming, (copy) => checkCopy(copy, options.migrations), options.report);
  try {
    const facts = await migrateBackup(incoming, file, options);
    copyOwner(incoming, existsSync(database) ? database : dirname(database));
    const aside = `${database}.before-${new Date().toISOString().replaceAll(":", "")}`;
    const replacement = { database, incoming, aside, facts, options };
    return existsSync(database) ? replace(replacement) : putInPlace(replacement);
  } finally {
    for (const suffix of ["", ...SIDE_FILES]) rmSync(incoming + suffix, { force: true });
    syncFolder(dirname(database));
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

/** Migrates the copied backup. If this fails, the version cannot serve the backup, and the database is still unchanged. */
async function migrateBackup(
  incoming: string,
  file: string,
  { migrations, report }: RestoreOptions,
): Promise<DatabaseFacts> {
  const db = openDatabase(`file:${incoming}`);
  try {
    await migrate(db, migrations, { report });
  } catch (cause) {
    throw new DatabaseError(`${file} cannot be restored. ${(cause as Error).message}`, { cause });
  } finally {
    await db.destroy();
  }
  return withWritableFile(incoming, factsOf);
}

/** Replaces an existing database atomically. If the path were empty for a moment, a starting service would create a file. */
function replace({ database, incoming, aside, facts, options }: Replacement): Restored {
  const { file, release } = lockExclusively(database);
  options.report?.("Reading the database to replace");
  try {
    const replaced = readUnlessForced(database, options, () => readReplaced(expectReadable(file), facts, options));
    const kept = replaced && withWritableFile(incoming, (restored) => writeKept(restored, replaced));
    syncFile(incoming);
    restrictToOwner(database);
    linkSync(database, aside);
    if (process.platform === "win32") release();
    renameOver(database, incoming, aside);
    return { aside, kept };
  } finally {
    release();
  }
}

/**
 * Renames the backup to the database. Windows renames over no open file, so there the lock is released before. A process
 * that opens the database in between makes this fail.
 */
function renameOver(database: string, incoming: string, aside: string): void {
  try {
    renameSync(incoming, database);
  } catch (error) {
    const left = remove(aside) ? "" : ` Afterwards, remove ${aside}, which is the same file.`;
    throw new DatabaseError(inUse(database, error as Error).message + left, { cause: error });
  }
}

/** Removes a file, and returns whether it is gone. Windows keeps a file that another process has open. */
function remove(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Restores to a path without a database. A remaining log is moved aside, because SQLite would apply it to the backup.
 * Throws if another process creates a database at the path meanwhile.
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
  return { aside: left[0] === undefined ? undefined : aside + left[0], kept: undefined };
}

function readUnlessForced<Result>(
  database: string,
  { force, keptData }: RestoreOptions,
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (cause) {
    if (force) return undefined;
    throw new DatabaseError(
      `${database} cannot be read (${(cause as Error).message}). After a restore, ${keptData.unread.consequence}, and new ` +
        "rows may reuse ids of lost rows. To restore it nonetheless, add --force.",
      { cause },
    );
  }
}

function expectReadable(file: Sqlite.Database | undefined): Sqlite.Database {
  if (file === undefined) throw new Error("it is damaged or lost");
  return file;
}

/** Runs `act` on a database without a write-ahead log, so that the file alone holds all data afterwards. */
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

/** Sets the owner of the file to the owner of `like` if root runs the command, so that the service can open the file. */
export function copyOwner(path: string, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  chownSync(path, uid, gid);
}

/**
 * Locks the database against all other connections until `release` is called. Returns the connection unless the file is
 * too damaged to open.
 *
 * Leaving WAL mode succeeds only if no other connection is open, and moves the log into the file. Outside WAL mode, an
 * exclusive lock also excludes readers. A damaged file cannot be locked; there, the log shows whether another process has
 * the file open, because the last connection to close removes the log.
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
