import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";

/** How long SQLite waits for the lock of another connection. The wait blocks the event loop. */
const BUSY_TIMEOUT_MS = 50;

/** Set on every open, because SQLite stores only the journal mode in the file: https://sqlite.org/pragma.html */
const SETTINGS = { journal_mode: "wal", foreign_keys: 1, busy_timeout: BUSY_TIMEOUT_MS };

/** The number of pages in the log at which a commit moves the log into the file; 0 for never. 1000 is SQLite's default. */
const AUTOMATIC_CHECKPOINT = { automatic: 1_000, external: 0 };

/** The numbers of the values of `synchronous`: https://sqlite.org/pragma.html#pragma_synchronous */
const SYNCHRONOUS = { normal: 1, full: 2 };

const OWNER_ONLY = 0o600;

/** How a file is opened. */
export interface FileOptions {
  /** Whether a missing file is an error. Default: false, which creates the file and its folder. */
  mustExist?: boolean | undefined;
  /** When a commit is on disk: with `full` once it resolves, with `normal` at a later checkpoint. Default: `full`. */
  synchronous?: keyof typeof SYNCHRONOUS | undefined;
  /**
   * Which program moves the write-ahead log into the file. With `external`, a program such as Litestream does, and commits
   * never do, because a log that is moved too early is lost for that program. Default: `automatic`.
   */
  checkpoints?: keyof typeof AUTOMATIC_CHECKPOINT | undefined;
  /** Whether SQLite rejects writes. Default: false. */
  isReadOnly?: boolean | undefined;
  /** A table whose changes by this connection are counted. A missing table is not counted. */
  watchedTable?: string | undefined;
}

/** An open SQLite file. */
export interface OpenFile {
  file: Sqlite.Database;
  /** Whether the file and its log are still at their paths. */
  isAtPath: () => boolean;
  /** How often this connection has changed the watched table; undefined if none is watched. */
  changes: { count: number } | undefined;
}

/**
 * Opens the file and verifies every setting. A missing file and folder are created unless `mustExist` is set. If the file is
 * replaced meanwhile, as by the command `restore`, the new file is opened. Only the owner may read and write the file and its
 * log.
 */
export function openFile(
  path: string,
  {
    mustExist = false,
    synchronous = "full",
    checkpoints = "automatic",
    isReadOnly = false,
    watchedTable,
  }: FileOptions = {},
): OpenFile {
  if (!mustExist) mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    if (!mustExist) makeFile(path);
    const inode = inodeOf(path);
    const file = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: mustExist });
    try {
      applySettings(file, {
        ...SETTINGS,
        synchronous: SYNCHRONOUS[synchronous],
        wal_autocheckpoint: AUTOMATIC_CHECKPOINT[checkpoints],
        query_only: Number(isReadOnly),
      });
      restrictToOwner(path);
      const log = inodeOf(`${path}-wal`);
      const isAtPath = () => inodeOf(path) === inode && inodeOf(`${path}-wal`) === log;
      if (isAtPath()) return { file, isAtPath, changes: watch(file, watchedTable) };
      file.close();
    } catch (error) {
      file.close();
      if (inodeOf(path) === inode) throw error;
    }
  }
}

function applySettings(file: Sqlite.Database, settings: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(settings)) file.pragma(`${name} = ${value}`);
  file.pragma("schema_version"); // the first read takes a lock, so that `restore` cannot replace the file
  for (const [name, value] of Object.entries(settings)) {
    const actual = file.pragma(name, { simple: true });
    if (actual !== value) throw new Error(`SQLite keeps ${name} at ${String(actual)} instead of ${value}`);
  }
}

/** Counts the changes to a table by triggers of this connection, which see the changes of every statement. */
function watch(file: Sqlite.Database, table: string | undefined): OpenFile["changes"] {
  const find = file.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
  if (table === undefined || find.get(table) === undefined) return undefined;
  const changes = { count: 0 };
  file.function("count_change", () => void changes.count++);
  for (const event of ["insert", "update", "delete"])
    file.exec(`create temp trigger count_${event} after ${event} on main."${table}" begin select count_change(); end`);
  return changes;
}

/** Creates an empty file for SQLite if there is none, because all users could read a file that SQLite creates. */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Removes the permissions of all users but the owner from the file and its log. An older version or a user may have granted
 * them. SQLite gives new logs the mode of the file. A file that another user owns is left as it is, because only the owner
 * can change the mode. On Windows, the access of a file follows from its folder, and a mode says nothing of other users.
 */
export function restrictToOwner(path: string): void {
  if (process.platform === "win32") return;
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

/** Returns the identity of the file at a path; undefined if there is none. */
function inodeOf(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false, bigint: true }); // on Windows, no number can hold every identity
  return file && `${file.dev} ${file.ino}`;
}
