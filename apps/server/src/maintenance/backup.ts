import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { DatabaseError } from "../database/database.errors.ts";

const OWNER_ONLY = 0o600;

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
 * anything was left of it. Refuses while a process has the database open.
 */
export function restore(database: string, file: string): string | undefined {
  const incoming = `${database}.restoring`;
  rmSync(incoming, { force: true });
  mkdirSync(dirname(database), { recursive: true });
  copy(file, incoming);
  let aside: string | undefined;
  try {
    if (existsSync(database)) closeForOthers(database);
    keepOwner(incoming, existsSync(database) ? database : dirname(database));
    aside = setAside(database);
    renameSync(incoming, database);
  } finally {
    rmSync(incoming, { force: true });
  }
  syncToDisk(dirname(database));
  return aside;
}

/** With a log that was not folded in, which SQLite would else play into the database that comes in its place. */
function setAside(database: string): string | undefined {
  const aside = `${database}.before-${new Date().toISOString().replaceAll(":", "")}`;
  const left = ["", "-wal", "-shm"].filter((suffix) => existsSync(database + suffix));
  for (const suffix of left) renameSync(database + suffix, aside + suffix);
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
  const partial = `${to}.partial`;
  rmSync(partial, { force: true });
  try {
    using(from, (source) => source.prepare("vacuum into ?").run(partial));
    chmodSync(partial, OWNER_ONLY);
    using(partial, expectWhole);
    syncToDisk(partial);
    renameSync(partial, to);
    syncToDisk(dirname(to));
  } catch (cause) {
    rmSync(partial, { force: true });
    throw new DatabaseError(`${from} cannot be copied to ${to} (${(cause as Error).message}).`, { cause });
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
 * Only a connection without others can leave WAL mode; that also folds the log into the file. Of a file too damaged for
 * that, the last connection to close still removes the log, so that one which stays belongs to somebody else.
 */
function closeForOthers(database: string): void {
  const file = new Sqlite(database, { timeout: 0 });
  let obstacle: { message: string; code?: string } = { message: "another process holds it" };
  try {
    if (file.pragma("journal_mode = delete", { simple: true }) === "delete") return;
  } catch (error) {
    obstacle = error as typeof obstacle;
  } finally {
    file.close();
  }
  const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test(obstacle.code ?? "");
  if (isDamaged && !existsSync(`${database}-wal`)) return;
  throw new DatabaseError(
    `${database} is in use (${obstacle.message}). Stop the service and whatever else has it open, then try again.`,
  );
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
