import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { NAME } from "@platform/name";
import Sqlite from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { makeFile } from "../sqlite/sqlite.file.ts";
import type { Migrations } from "../migrations.ts";

/**
 * Copies the database to a file, also while the database is in use. The copy contains every transaction committed before
 * the call. The file appears once the copy is complete, checked and on disk. Throws if the file exists or if the database
 * has none of the migrations.
 */
export function backup(database: string, file: string, migrations: Migrations): void {
  if (existsSync(file)) throw new DatabaseError(`${file} exists. Name a file that does not, or remove it.`);
  copyChecked(database, file, migrations);
}

/**
 * Copies a database to a file. The file appears once the copy is complete, checked and on disk. `VACUUM INTO` reads one
 * snapshot but does not sync the file, so the copy is synced separately: https://sqlite.org/lang_vacuum.html
 */
export function copyChecked(from: string, to: string, migrations: Migrations): void {
  const partial = partialOf(to);
  removePartial(partial);
  try {
    makeFile(partial); // SQLite would create a file that all users can read
    withFile(from, (source) => source.prepare("vacuum into ?").run(partial));
    withFile(partial, (copy) => checkCopy(copy, migrations));
    syncToDisk(partial);
    renameSync(partial, to);
    syncToDisk(dirname(to));
  } catch (cause) {
    rmSync(partial, { force: true });
    throw new DatabaseError(`${from} cannot be copied to ${to} (${(cause as Error).message}).`, { cause });
  }
}

/** Returns the path of an incomplete copy. The suffix contains our name, so that no file of another program is replaced. */
export function partialOf(path: string): string {
  return `${path}.${NAME}-partial`;
}

/** Removes a partial file of a command that was killed. */
export function removePartial(path: string): void {
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

/** Opens a database for reading, runs `act` on it and closes it. */
export function withFile<Result>(path: string, act: (file: Sqlite.Database) => Result): Result {
  const file = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    return act(file);
  } finally {
    file.close();
  }
}

/** Throws if the database is damaged or has none of the migrations. */
export function checkCopy(file: Sqlite.Database, migrations: Migrations): void {
  const result = file.pragma("integrity_check", { simple: true });
  if (result !== "ok") throw new Error(`it is damaged: ${String(result)}`);
  const applied = file.prepare<[], string>("select name from kysely_migration").pluck().all();
  if (!applied.some((name) => Object.hasOwn(migrations, name)))
    throw new Error("it is the database of another program");
}

/** Syncs a file or a folder to disk. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
