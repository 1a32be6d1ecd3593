import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { realPathOf } from "../config.ts";
import { DatabaseError } from "../database/database.errors.ts";
import { keepToOwner, makeFile } from "../database/sqlite.file.ts";

/**
 * Writes a copy of the database that holds everything committed before the start, while it is in use. The file is there
 * only once it is whole, checked and on disk; one that exists is not overwritten.
 */
export function backup(database: string, file: string): void {
  if (existsSync(file)) throw new DatabaseError(`${file} exists. Name a file that does not, or remove it.`);
  copy(database, file);
}

/**
 * Puts a backup in the place of the database, also of one that is damaged or lost, and gives where the old one is kept, if
 * anything was left of it. Refuses while a process has the database open, and one that opens it meanwhile gets the backup.
 */
export function restore(path: string, file: string): string | undefined {
  const database = realPathOf(path); // a link to it stays one
  const incoming = `${database}.petstore-restoring`;
  if ([incoming, partialOf(incoming)].includes(realPathOf(file))) {
    throw new DatabaseError(`${file} is where this command has to write. Rename it first.`);
  }
  removeRemains(incoming);
  mkdirSync(dirname(database), { recursive: true });
  copy(file, incoming);
  try {
    keepOwner(incoming, existsSync(database) ? database : dirname(database));
    const aside = `${database}.before-${new Date().toISOString().replaceAll(":", "")}`;
    return existsSync(database) ? replace(database, incoming, aside) : putInPlace(database, incoming, aside);
  } finally {
    rmSync(incoming, { force: true });
    syncToDisk(dirname(database));
  }
}

/** At no time is the path without a file, where a service that starts would make one. */
function replace(database: string, incoming: string, aside: string): string {
  const letGo = holdAlone(database);
  try {
    keepToOwner(database);
    linkSync(database, aside);
    renameSync(incoming, database);
    return aside;
  } finally {
    letGo();
  }
}

/** Sets aside a log that was left, which SQLite would else play into the database. A file that is made meanwhile is kept. */
function putInPlace(database: string, incoming: string, aside: string): string | undefined {
  const left = ["-wal", "-shm", "-journal"].filter((suffix) => existsSync(database + suffix));
  for (const suffix of left) renameSync(database + suffix, aside + suffix);
  try {
    linkSync(incoming, database);
  } catch (error) {
    for (const suffix of left) renameSync(aside + suffix, database + suffix);
    throw inUse(database, error as Error);
  }
  return left[0] === undefined ? undefined : aside + left[0];
}

/** What root restores stays the service's own. */
function keepOwner(path: string, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  chownSync(path, uid, gid);
}

/** `VACUUM INTO` reads one snapshot, whatever is written meanwhile, but does not sync: https://sqlite.org/lang_vacuum.html */
function copy(from: string, to: string): void {
  const partial = partialOf(to);
  removeRemains(partial);
  try {
    makeFile(partial); // empty, and for its owner alone
    using(from, (source) => source.prepare("vacuum into ?").run(partial));
    using(partial, expectWhole);
    syncToDisk(partial);
    renameSync(partial, to);
    syncToDisk(dirname(to));
  } catch (cause) {
    rmSync(partial, { force: true });
    throw new DatabaseError(`${from} cannot be copied to ${to} (${(cause as Error).message}).`, { cause });
  }
}

/** Where a copy is made before it is whole; nobody else names a file so. */
function partialOf(path: string): string {
  return `${path}.petstore-partial`;
}

/** What a command that was killed has left there. */
function removeRemains(path: string): void {
  if (isFolder(path)) {
    throw new DatabaseError(`${path} is a folder, where this command has to write a file. Move it elsewhere.`);
  }
  rmSync(path, { force: true });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (cause) {
    throw new DatabaseError(`${path} cannot be written (${(cause as Error).message}).`, { cause });
  }
}

function using(path: string, act: (file: Sqlite.Database) => void): void {
  const file = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    act(file);
  } finally {
    file.close();
  }
}

function expectWhole(file: Sqlite.Database): void {
  const verdict = file.pragma("integrity_check", { simple: true });
  if (verdict !== "ok") throw new Error(`it is damaged: ${String(verdict)}`);
  file.prepare("select 1 from pets, api_keys, kysely_migration limit 1").get(); // throws where it is another database
}

/**
 * Keeps everybody else from opening the database until the given function is called. Only a connection without others can
 * leave WAL mode, which also folds the log into the file, and outside that mode a lock excludes readers as well. Of a file
 * too damaged for that, which nobody can open, the last connection to close still removes the log, so that one which stays
 * belongs to somebody else.
 */
function holdAlone(database: string): () => void {
  const file = new Sqlite(database, { timeout: 0, fileMustExist: true });
  try {
    file.pragma("journal_mode = delete");
    file.exec("begin exclusive");
    if (file.pragma("journal_mode", { simple: true }) !== "delete") throw new Error("another process holds it");
    return () => file.close();
  } catch (error) {
    file.close();
    const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code?: string }).code ?? "");
    if (isDamaged && !existsSync(`${database}-wal`)) return () => {};
    throw inUse(database, error as Error);
  }
}

function inUse(database: string, { message }: Error): DatabaseError {
  return new DatabaseError(
    `${database} is in use (${message}). Stop the service and whatever else has it open, then try again.`,
  );
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
