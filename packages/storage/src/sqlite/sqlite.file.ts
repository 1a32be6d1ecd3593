import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";

/** How long one statement may wait for another connection's lock; the event loop stands still meanwhile. */
const BUSY_TIMEOUT_MS = 50;

/** Set on every open, since SQLite keeps only the journal mode in the file: https://sqlite.org/pragma.html */
const SETTINGS = { journal_mode: "wal", foreign_keys: 1, busy_timeout: BUSY_TIMEOUT_MS };

/** The number of each: https://sqlite.org/pragma.html#pragma_synchronous */
const SYNCHRONOUS = { normal: 1, full: 2 };

/** Before it, two connections that write and checkpoint could damage the file: https://sqlite.org/wal.html#walresetbug */
const MIN_VERSION = "3.51.3";

const OWNER_ONLY = 0o600;

/** How a file is opened. */
export interface FileOptions {
  /** Default: false, so that the file and its folder are made where there are none. */
  mustExist?: boolean | undefined;
  /** When a commit is on disk: `full` as soon as it is answered, `normal` at a later checkpoint. Default: `full`. */
  synchronous?: keyof typeof SYNCHRONOUS | undefined;
  /** Refuse what would change the database. Default: false. */
  isReadOnly?: boolean | undefined;
}

/** A file of SQLite that is open. */
export interface OpenFile {
  file: Sqlite.Database;
  /** Whether its path still leads to it, and that of the log to its log. */
  isInPlace: () => boolean;
}

/**
 * Opens the file, making it and its folder where there are none unless it has to exist, and sees that it has every
 * setting. One that is put in its place meanwhile, as by `petstore restore`, is opened instead. Its owner alone may read and
 * write the file and its log.
 */
export function openFile(
  path: string,
  { mustExist = false, synchronous = "full", isReadOnly = false }: FileOptions = {},
): OpenFile {
  if (!mustExist) mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    if (!mustExist) makeFile(path);
    const inode = inodeOf(path);
    const file = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: mustExist });
    try {
      refuseOldSqlite(String(file.prepare("select sqlite_version()").pluck().get()));
      applySettings(file, { ...SETTINGS, synchronous: SYNCHRONOUS[synchronous], query_only: Number(isReadOnly) });
      restrictToOwner(path);
      const log = inodeOf(`${path}-wal`);
      const isInPlace = () => inodeOf(path) === inode && inodeOf(`${path}-wal`) === log;
      if (isInPlace()) return { file, isInPlace };
      file.close();
    } catch (error) {
      file.close();
      if (inodeOf(path) === inode) throw error;
    }
  }
}

function applySettings(file: Sqlite.Database, settings: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(settings)) file.pragma(`${name} = ${value}`);
  file.pragma("schema_version"); // from the first read on it is held against those who would replace it
  for (const [name, value] of Object.entries(settings)) {
    const actual = file.pragma(name, { simple: true });
    if (actual !== value) throw new Error(`SQLite keeps ${name} at ${String(actual)} instead of ${value}`);
  }
}

/** Makes an empty file, for SQLite to fill, where there is none; SQLite's own would be readable by everybody. */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Takes from everybody but the owner what an older version or somebody else allowed. SQLite gives a log that it makes the
 * mode of the file. The owner is another where a group shares the file; that is for the owner to change.
 */
export function restrictToOwner(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & 0o777 & ~OWNER_ONLY) === 0) continue;
    try {
      chmodSync(file, found.mode & OWNER_ONLY);
    } catch (error) {
      if (!["EPERM", "ENOENT", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

/** Tells the file at a path from any other; undefined where there is none. */
function inodeOf(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false });
  return file && `${file.dev} ${file.ino}`;
}

/** As SQLite counts its versions: https://sqlite.org/c3ref/c_source_id.html */
function versionNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1_000 + patch;
}

/** Throws for a version of SQLite that could lose or damage what it holds. */
export function refuseOldSqlite(version: string): void {
  if (versionNumber(version) < versionNumber(MIN_VERSION))
    throw new Error(`SQLite ${version} may damage a database; ${MIN_VERSION} or later is needed`);
}
