import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
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
 * Puts a backup in the place of the database, and gives where the old one is kept, if there was one. Refuses while a
 * process has the database open.
 */
export function restore(database: string, file: string): string | undefined {
  const incoming = `${database}.restoring`;
  rmSync(incoming, { force: true });
  copy(file, incoming);
  let aside: string | undefined;
  if (existsSync(database)) {
    closeForOthers(database);
    aside = `${database}.before-${new Date().toISOString().replaceAll(":", "")}`;
    renameSync(database, aside);
  }
  renameSync(incoming, database);
  syncToDisk(dirname(database));
  return aside;
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

/** Only a connection without others can leave WAL mode; that also folds the log into the file. */
function closeForOthers(database: string): void {
  const file = new Sqlite(database, { timeout: 0 });
  try {
    if (file.pragma("journal_mode = delete", { simple: true }) !== "delete") throw new Error("it is in use");
  } catch (cause) {
    throw new DatabaseError(
      `${database} is in use (${(cause as Error).message}). Stop the service and whatever else has it open, then try again.`,
      { cause },
    );
  } finally {
    file.close();
  }
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
