import { chownSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { copyWhole, partialOf, removeRemains, syncToDisk } from "@platform/storage/backup";
import { openDatabase } from "@platform/storage/database";
import { DatabaseError } from "@platform/storage/database-error";
import { migrate } from "@platform/storage/migrations";
import { keepToOwner } from "@platform/storage/sqlite.file";
import { realPathOf } from "@platform/storage/url";
import Sqlite from "better-sqlite3";
import { MIGRATIONS } from "../migrations.ts";
import { carryOver, type Facts, factsOf, type Loss, readReplaced } from "./carry-over.ts";

/** What SQLite keeps beside a file. */
const LOGS = ["-wal", "-shm", "-journal"];

/** What became of the database that a backup has replaced. */
export interface Restored {
  /** Where it is kept, if anything was left of it. */
  aside: string | undefined;
  /** How many API keys were revoked or rotated since the backup, and stay so; undefined where it was not read. */
  endedKeys: number | undefined;
  /** What is lost with it; undefined where it was not read. */
  loss: Loss | undefined;
}

/**
 * Puts a backup in the place of the database, which is kept beside it. Keys that were revoked since stay revoked, and ids that
 * were given since are not given again, as the old database says; where it is damaged or lost, `force` goes without. Refuses
 * while a process has the database open, and one that opens it meanwhile gets the backup. Throws `DatabaseError`, with the
 * database as it was.
 */
export async function restore(path: string, file: string, { force = false } = {}): Promise<Restored> {
  const database = realPathOf(path); // a link to it stays one
  const incoming = `${database}.petstore-restoring`;
  if ([incoming, partialOf(incoming)].includes(realPathOf(file))) {
    throw new DatabaseError(`${file} is where this command has to write. Rename it first.`);
  }
  removeRemains(incoming);
  mkdirSync(dirname(database), { recursive: true });
  copyWhole(file, incoming);
  try {
    const facts = await bringToThisVersion(incoming, file);
    keepOwner(incoming, existsSync(database) ? database : dirname(database));
    const aside = `${database}.before-${new Date().toISOString().replaceAll(":", "")}`;
    const replacement = { database, incoming, aside, facts, force };
    return existsSync(database) ? replace(replacement) : putInPlace(replacement);
  } finally {
    for (const suffix of ["", ...LOGS]) rmSync(incoming + suffix, { force: true });
    syncToDisk(dirname(database));
  }
}

interface Replacement {
  database: string;
  incoming: string;
  aside: string;
  /** What the backup has given and noted. */
  facts: Facts;
  force: boolean;
}

/** Shows that this version can serve the backup, before anything else is touched. */
async function bringToThisVersion(incoming: string, file: string): Promise<Facts> {
  const db = openDatabase(`file:${incoming}`);
  try {
    await migrate(db, MIGRATIONS);
  } catch (cause) {
    throw new DatabaseError(`${file} cannot be restored. ${(cause as Error).message}`, { cause });
  } finally {
    await db.destroy();
  }
  return writing(incoming, factsOf);
}

/** At no time is the path without a file, where a service that starts would make one. */
function replace({ database, incoming, aside, facts, force }: Replacement): Restored {
  const { held, letGo } = holdAlone(database);
  try {
    const replaced = readUnlessForced(database, () => readReplaced(expectOpen(held), facts), force);
    const carried = replaced && writing(incoming, (restored) => carryOver(replaced, restored));
    const loss = replaced && carried && { ...replaced.loss, apiKeys: replaced.loss.apiKeys - carried.added };
    syncToDisk(incoming);
    keepToOwner(database);
    linkSync(database, aside);
    renameSync(incoming, database);
    return { aside, endedKeys: carried?.ended, loss };
  } finally {
    letGo();
  }
}

/** Sets aside a log that was left, which SQLite would else play into the database. A file that is made meanwhile is kept. */
function putInPlace({ database, incoming, aside, force }: Replacement): Restored {
  const left = LOGS.filter((suffix) => existsSync(database + suffix));
  readUnlessForced(database, () => expectOpen(undefined), force);
  for (const suffix of left) renameSync(database + suffix, aside + suffix);
  try {
    linkSync(incoming, database);
  } catch (error) {
    for (const suffix of left) renameSync(aside + suffix, database + suffix);
    throw inUse(database, error as Error);
  }
  return { aside: left[0] === undefined ? undefined : aside + left[0], endedKeys: undefined, loss: undefined };
}

function readUnlessForced<Result>(database: string, read: () => Result, force: boolean): Result | undefined {
  try {
    return read();
  } catch (cause) {
    if (force) return undefined;
    throw new DatabaseError(
      `${database} cannot be read (${(cause as Error).message}): API keys that were revoked since the backup would be valid ` +
        "again, and ids that were given since would be given again. To restore it nonetheless, add --force.",
      { cause },
    );
  }
}

function expectOpen(held: Sqlite.Database | undefined): Sqlite.Database {
  if (held === undefined) throw new Error("it is damaged or lost");
  return held;
}

/** Without a log, so that all of it is in the file when it is closed. */
function writing<Result>(path: string, act: (file: Sqlite.Database) => Result): Result {
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
function keepOwner(path: string, like: string): void {
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
function holdAlone(database: string): { held?: Sqlite.Database; letGo: () => void } {
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
