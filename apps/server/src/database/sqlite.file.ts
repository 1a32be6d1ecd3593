import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";

/** How long one statement may wait for another connection's lock; the event loop stands still meanwhile. */
const BUSY_TIMEOUT_MS = 50;

/** Set on every open, since SQLite keeps only the journal mode in the file: https://sqlite.org/pragma.html */
const SETTINGS = { journal_mode: "wal", synchronous: 2, foreign_keys: 1, busy_timeout: BUSY_TIMEOUT_MS };

/** Before it, two connections that write and checkpoint could damage the file: https://sqlite.org/wal.html#walresetbug */
const LEAST_VERSION = "3.51.3";

/** Opens the file, making it and its folder where there are none, and sees that it has every setting. */
export function openFile(path: string): Sqlite.Database {
  mkdirSync(dirname(path), { recursive: true });
  const file = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    refuseOldSqlite(String(file.prepare("select sqlite_version()").pluck().get()));
    for (const [name, value] of Object.entries(SETTINGS)) {
      file.pragma(`${name} = ${value}`);
      const actual = file.pragma(name, { simple: true });
      if (actual !== value) throw new Error(`SQLite keeps ${name} at ${String(actual)} instead of ${value}`);
    }
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Throws for a version of SQLite that could lose or damage what it holds. */
export function refuseOldSqlite(version: string): void {
  const isOld = version.localeCompare(LEAST_VERSION, "en", { numeric: true }) < 0;
  if (isOld) throw new Error(`SQLite ${version} may damage a database; ${LEAST_VERSION} or later is needed`);
}
