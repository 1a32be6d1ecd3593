import type Sqlite from "better-sqlite3";
import { type AnyTables, isNumbered } from "../registration.ts";

/** The ids and times of a database that a restore needs. */
export interface DatabaseFacts {
  /** The highest id ever assigned, by table; only tables whose ids the database assigns. */
  lastIds: Map<string, number>;
  /** The latest time in any row, in milliseconds since 1970; undefined if there is none. */
  lastTime: number | undefined;
}

/** The rows that a restore loses, because they were added after the backup. */
export interface Loss {
  /** How many rows are lost, by table; only tables that have a noun. */
  rows: Record<string, number>;
  /** The latest times in the backup (`from`) and in the replaced database (`to`), in milliseconds since 1970. */
  from: number | undefined;
  to: number | undefined;
}

/** How a restore copies data, besides ids, from the replaced database to the restored one. */
export interface KeptData {
  /** Reads the replaced database and returns a function that writes to the restored one. The last ids are set before it. */
  read: (replaced: Sqlite.Database) => (restored: Sqlite.Database) => KeptRows;
  /** Parts of the messages about a replaced database that cannot be read. */
  unread: {
    /** A clause about the risk of `--force`, for its help. */
    risk: string;
    /** A clause about the consequence of `--force`, for the error of a restore without it. */
    consequence: string;
    /** A sentence with the remedy, for the report of a restore with `--force`. */
    remedy: string;
  };
}

/** The rows kept in a restored database. */
export interface KeptRows {
  /** One sentence that reports the rows. */
  summary: string;
  /** How many rows were copied, by table. They do not count as lost. */
  added: Readonly<Record<string, number>>;
}

/** The data read from the replaced database. */
export interface Replaced extends DatabaseFacts {
  loss: Loss;
  keep: (restored: Sqlite.Database) => KeptRows;
}

/** Matches columns with times of past events. Expiry columns are excluded, because their times may be in the future. */
const TIME = /^(?!expires_)(\w+_)?at$/;

/** Reads the last ids and the latest time of a database of any version. Throws SQLite's error if it cannot be read. */
export function factsOf(file: Sqlite.Database): DatabaseFacts {
  const tables = tablesOf(file);
  const lastIds = new Map<string, number>();
  for (const { name, sql } of tables) {
    if (!/\bautoincrement\b/i.test(sql)) continue;
    const given = file.prepare<[string], number>("select seq from sqlite_sequence where name = ?").pluck().get(name);
    const highest = file.prepare<[], number | null>(`select max(id) from "${name}"`).pluck().get();
    lastIds.set(name, Math.max(given ?? 0, highest ?? 0));
  }
  const times = tables.flatMap(({ name }) =>
    columnsOf(file, name)
      .filter((column) => TIME.test(column))
      .map((column) => file.prepare<[], number | null>(`select max("${column}") from "${name}"`).pluck().get() ?? 0),
  );
  const lastTime = Math.max(0, ...times);
  return { lastIds, lastTime: lastTime === 0 ? undefined : lastTime };
}

/** Reads the data that the restore preserves and counts the rows that it loses. Throws SQLite's error if it cannot be read. */
export function readReplaced(
  file: Sqlite.Database,
  backup: DatabaseFacts,
  { tables, keptData }: { tables: AnyTables; keptData: KeptData },
): Replaced {
  const facts = factsOf(file);
  const rows: Record<string, number> = {};
  for (const [name, table] of Object.entries(tables)) {
    if (table.noun === undefined) continue;
    rows[name] = isNumbered(table)
      ? countAfter(file, name, "id", backup.lastIds.get(name))
      : countAfter(file, name, "created_at", backup.lastTime);
  }
  return { ...facts, loss: { rows, from: backup.lastTime, to: facts.lastTime }, keep: keptData.read(file) };
}

function countAfter(file: Sqlite.Database, table: string, column: string, last = 0): number {
  if (!columnsOf(file, table).includes(column)) return 0; // an older version created the database
  return file.prepare<[number], number>(`select count(*) from "${table}" where "${column}" > ?`).pluck().get(last)!;
}

/** Writes the preserved data to the restored database in one transaction. No id is assigned twice. */
export function writeKept(
  restored: Sqlite.Database,
  { lastIds, loss, keep }: Replaced,
): { summary: string; loss: Loss } {
  return restored.transaction(() => {
    for (const [table, id] of lastIds) raiseLastId(restored, table, id);
    const { summary, added } = keep(restored);
    const rows = Object.fromEntries(
      Object.entries(loss.rows).map(([table, lost]) => [table, lost - (added[table] ?? 0)]),
    );
    return { summary, loss: { ...loss, rows } };
  })();
}

function raiseLastId(file: Sqlite.Database, table: string, id: number): void {
  if (!tablesOf(file).some(({ name }) => name === table)) return;
  const { changes } = file.prepare("update sqlite_sequence set seq = max(seq, ?) where name = ?").run(id, table);
  if (changes === 0) file.prepare("insert into sqlite_sequence (name, seq) values (?, ?)").run(table, id);
}

/** Returns all tables except SQLite's and Kysely's own. */
function tablesOf(file: Sqlite.Database): { name: string; sql: string }[] {
  const tables = file.prepare(
    "select name, sql from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'",
  );
  return tables.all() as { name: string; sql: string }[];
}

/** Returns the column names of a table; an empty array if there is no such table. */
export function columnsOf(file: Sqlite.Database, table: string): string[] {
  return file.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table);
}
