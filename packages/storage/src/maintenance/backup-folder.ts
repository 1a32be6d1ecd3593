import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Report } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import Sqlite from "better-sqlite3";
import { DatabaseError, isBusy } from "../database-error.ts";
import type { AnyTables, Schema } from "../registration.ts";
import { makeFile } from "../sqlite/sqlite.file.ts";
import { bytesOf, checkCopy, copyChecked, withFile } from "./backup.ts";
import { factsOf } from "./kept-data.ts";
import { copyOwner } from "./restore.ts";

/** A complete backup in a folder of backups. The copy was verified before it got this name. */
export interface DatedBackup {
  path: string;
  /** The start of the copy in milliseconds since 1970, which the name contains. */
  time: number;
}

/** Matches the names of backups, which sort by time, and of their incomplete copies. Windows allows no colon in a name. */
const dated = () => new RegExp(`^${SERVICE.name}\\.(\\d{4}-\\d{2}-\\d{2}T\\d{2})(\\d{2})(\\d{2}\\.\\d{3}Z)\\.db(.*)$`);

/** Returns the backups in a folder, the oldest first. */
export function backupsIn(folder: string): DatedBackup[] {
  return readdirSync(folder)
    .map((name): DatedBackup => ({ path: join(folder, name), time: timeOf(name) }))
    .filter(({ time }) => !Number.isNaN(time))
    .toSorted((a, b) => a.time - b.time);
}

/** Returns the newest backup not later than a time; undefined if there is none. */
export function newestBackup(folder: string, time: number): DatedBackup | undefined {
  return backupsIn(folder).findLast((each) => each.time <= time);
}

function timeOf(name: string): number {
  const [, date, minutes, seconds, rest] = dated().exec(name) ?? [];
  return rest === "" ? Date.parse(`${date}:${minutes}:${seconds}`) : Number.NaN;
}

/** Verifies a backup and counts its rows. Throws with the reason if it is damaged or another program's. */
export function verifyBackup(path: string, schema: Schema): RowCounts {
  return withFile(path, (file) => verify(file, schema));
}

function verify(file: Sqlite.Database, { migrations, tables }: Schema): RowCounts {
  checkCopy(file, migrations);
  return countRows(file, tables);
}

/**
 * Makes a dated backup in a folder, whose lock the caller holds. The file appears once the copy is complete, verified and on
 * disk. Afterwards, only the `keep` newest backups stay. Backups with a date in the future neither count nor are removed,
 * because a clock that was set back named them. On failure, throws `DatabaseError` and removes no backup.
 */
export function makeBackup(
  database: string,
  folder: string,
  schema: Schema,
  { keep = Infinity, report }: { keep?: number | undefined; report?: Report | undefined } = {},
) {
  const time = Date.now();
  const path = join(folder, `${SERVICE.name}.${new Date(time).toISOString().replaceAll(":", "")}.db`);
  try {
    removeIncomplete(folder);
    const before = withFile(database, (file) => ({ bytes: bytesOf(file), ids: factsOf(file).lastIds }));
    expectRoom(folder, before.bytes);
    const check = (copy: Sqlite.Database): RowCounts => {
      const counts = verify(copy, schema);
      expectIds(before.ids, factsOf(copy).lastIds);
      copyOwner(copy.name, database);
      return counts;
    };
    const rows = copyChecked(database, path, check, report);
    const kept = backupsIn(folder).filter((each) => each.time <= time);
    const removed = kept.slice(0, Math.max(0, kept.length - keep));
    for (const old of removed) rmSync(old.path);
    return { made: { path, time }, rows, removed };
  } catch (cause) {
    removeIncomplete(folder);
    throw new DatabaseError(`No backup was made in ${folder}. ${(cause as Error).message}`, { cause });
  }
}

/** Removes what a killed command left. */
function removeIncomplete(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (dated().exec(name)?.[4]) rmSync(join(folder, name));
  }
}

/** Throws before the copy would fill a disk on which the service may write. */
function expectRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const [needed, free] = [bytes, bavail * bsize].map((each) => Math.ceil(each / 2 ** 20));
  if (bytes > bavail * bsize) throw new Error(`Free some space: ${needed} MiB are needed, and ${free} MiB are free.`);
}

/** Throws if the copy lacks a row that the database had before. */
function expectIds(before: Map<string, number>, copied: Map<string, number>): void {
  for (const [table, id] of before) {
    if ((copied.get(table) ?? 0) < id) throw new Error(`The copy lacks the latest rows of ${table}.`);
  }
}

/**
 * Takes the lock of a folder of backups, so that two commands do not remove each other's backups, and returns a function
 * that releases it. The lock ends with the process. The folder is created if it is missing. If root runs the command, the
 * lock and a new folder get the owner of the database. Throws `DatabaseError` if another process holds the lock.
 */
export function lockBackups(folder: string, database: string): () => void {
  const path = join(folder, `${SERVICE.name}.backups.lock`);
  try {
    const owner = existsSync(database) ? database : dirname(database);
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) copyOwner(folder, owner);
    makeFile(path);
    copyOwner(path, owner);
    const file = new Sqlite(path, { timeout: 0 });
    try {
      file.exec("begin exclusive");
    } catch (error) {
      file.close();
      throw error;
    }
    return () => void file.close();
  } catch (cause) {
    const reason = isBusy(cause) ? "Another process is making backups there. Stop it first." : (cause as Error).message;
    throw new DatabaseError(`Backups cannot be made in ${folder}. ${reason}`, { cause });
  }
}

/** The number of rows by table; only tables that have a noun. */
export type RowCounts = Readonly<Record<string, number>>;

/** Counts the rows of a database of any version. */
function countRows(file: Sqlite.Database, tables: AnyTables): RowCounts {
  const exists = file.prepare<[string], number>("select 1 from sqlite_master where name = ?").pluck();
  const counted = Object.entries(tables).flatMap(([name, { noun }]) =>
    noun === undefined || exists.get(name) === undefined // an older version made the backup
      ? []
      : [[name, file.prepare<[], number>(`select count(*) from "${name}"`).pluck().get()!] as const],
  );
  return Object.fromEntries(counted);
}

/** Formats the counts with the nouns of the tables, such as `2 animals`. Tables without rows are left out. */
export function nounsOf(rows: RowCounts, tables: AnyTables): string[] {
  return Object.entries(tables).flatMap(([name, { noun }]) => {
    const count = rows[name] ?? 0;
    return noun === undefined || count === 0 ? [] : [`${count} ${noun[count === 1 ? 0 : 1]}`];
  });
}
