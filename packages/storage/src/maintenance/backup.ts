import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Report } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import Sqlite from "better-sqlite3";
import { DatabaseError } from "../database-error.ts";
import { makeFile } from "../sqlite/sqlite.file.ts";
import type { Migrations } from "../migrations.ts";

/**
 * Copies the database to a file, also while the database is in use. The copy contains every transaction committed before
 * the call. The file appears once the copy is complete, checked and on disk. Throws if the file exists or if the database
 * has none of the migrations.
 */
export function backup(database: string, file: string, migrations: Migrations, report?: Report): void {
  if (existsSync(file)) throw new DatabaseError(`${file} exists. Name a file that does not, or remove it.`);
  copyChecked(database, file, (copy) => checkCopy(copy, migrations), report);
}

/**
 * Copies a database to a file and returns the result of `check`, unless it throws. The file appears once the copy is complete,
 * checked and on disk. `VACUUM INTO` reads one snapshot but does not sync the file, so the copy is synced separately:
 * https://sqlite.org/lang_vacuum.html
 */
export function copyChecked<Result>(
  from: string,
  to: string,
  check: (copy: Sqlite.Database) => Result,
  report: Report | undefined,
): Result {
  const partial = partialOf(to);
  removePartial(partial);
  try {
    makeFile(partial); // SQLite would create a file that all users can read
    withFile(from, (source) => {
      report?.(`Copying ${basename(from)}`, { file: partial, bytes: bytesOf(source) });
      source.prepare("vacuum into ?").run(partial);
    });
    report?.("Checking the copy");
    const result = withFile(partial, check);
    report?.("Syncing the copy to disk");
    syncFile(partial);
    renameSync(partial, to);
    syncFolder(dirname(to));
    return result;
  } catch (cause) {
    rmSync(partial, { force: true });
    throw new DatabaseError(`${from} cannot be copied to ${to} (${(cause as Error).message}).`, { cause });
  }
}

/** Returns the path of an incomplete copy. The suffix contains our name, so that no file of another program is replaced. */
export function partialOf(path: string): string {
  return `${path}.${SERVICE.name}-partial`;
}

/** Removes a partial file of a command that was killed. A folder at the path stays, and throws. */
export function removePartial(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new DatabaseError(`${path} cannot be written (${reason}). Move what is there elsewhere.`, { cause });
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

/** Returns the size of a copy, which has no free pages. */
export function bytesOf(file: Sqlite.Database): number {
  const [pages, free, size] = ["page_count", "freelist_count", "page_size"].map(
    (name) => file.pragma(name, { simple: true }) as number,
  );
  return (pages! - free!) * size!;
}

/** Throws if the database is damaged or has none of the migrations. */
export function checkCopy(file: Sqlite.Database, migrations: Migrations): void {
  const result = file.pragma("integrity_check", { simple: true });
  if (result !== "ok") throw new Error(`it is damaged: ${String(result)}`);
  const applied = file.prepare<[], string>("select name from kysely_migration").pluck().all();
  if (!applied.some((name) => Object.hasOwn(migrations, name)))
    throw new Error("it is the database of another program");
}

/** Syncs a file to disk. Opens it for writing, because Windows syncs no file that is open only for reading. */
export function syncFile(path: string): void {
  sync(path, "r+");
}

/** Syncs the names in a folder to disk. Windows cannot sync folders; there, the file system logs changes of names. */
export function syncFolder(path: string): void {
  if (process.platform !== "win32") sync(path, "r");
}

function sync(path: string, flags: "r" | "r+"): void {
  const descriptor = openSync(path, flags);
  fsyncSync(descriptor);
  closeSync(descriptor);
}
