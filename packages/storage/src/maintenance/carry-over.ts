import type Sqlite from "better-sqlite3";
import { type AnyTables, isNumbered } from "../registration.ts";

/** What a database has given and noted, as far as a restore has to know. */
export interface DatabaseFacts {
  /** The highest id ever given in each table that numbers its rows. */
  lastIds: Map<string, number>;
  /** The latest time in any of its rows, in milliseconds since 1970; undefined where there is none. */
  lastTime: number | undefined;
}

/** What is lost with a database that a backup replaces: rows that were added since, and the times between. */
export interface Loss {
  /** How many rows each table has lost, by its name; only tables that have a noun. */
  rows: Record<string, number>;
  /** In milliseconds since 1970. */
  from: number | undefined;
  to: number | undefined;
}

/** What has to outlive a restore besides ids, and the words for it. */
export interface CarryOver {
  /** Reads the replaced database at once; what it gives writes to the restored one, which gives no id of the other any more. */
  read: (replaced: Sqlite.Database) => (restored: Sqlite.Database) => Carried;
  /** How that is said where the replaced database cannot be read. */
  unread: {
    /** Half a sentence, about what may follow. */
    risk: string;
    /** The same in full. */
    consequence: string;
    remedy: string;
  };
}

/** What was carried over into a backup. */
export interface Carried {
  /** One sentence about it. */
  summary: string;
  /** How many rows were added to tables, by their names: these are not lost. */
  added: Readonly<Record<string, number>>;
}

/** What was read of the database that is replaced. */
export interface Replaced extends DatabaseFacts {
  loss: Loss;
  carryOver: (restored: Sqlite.Database) => Carried;
}

/** By such names the tables have times of what has happened; an expiry has not yet. */
const TIME = /^(?!expires_)(\w+_)?at$/;

/** Reads the facts of a database of any version; throws what SQLite does where it cannot be read. */
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

/** Reads what has to outlive a database, and what does not; throws what SQLite does where it cannot be read. */
export function readReplaced(
  file: Sqlite.Database,
  backup: DatabaseFacts,
  { tables, carryOver }: { tables: AnyTables; carryOver: CarryOver },
): Replaced {
  const facts = factsOf(file);
  const rows: Record<string, number> = {};
  for (const [name, table] of Object.entries(tables)) {
    if (table.noun === undefined) continue;
    rows[name] = isNumbered(table)
      ? countAfter(file, name, "id", backup.lastIds.get(name))
      : countAfter(file, name, "created_at", backup.lastTime);
  }
  return { ...facts, loss: { rows, from: backup.lastTime, to: facts.lastTime }, carryOver: carryOver.read(file) };
}

function countAfter(file: Sqlite.Database, table: string, column: string, last = 0): number {
  if (!columnsOf(file, table).includes(column)) return 0; // of an older version
  return file.prepare<[number], number>(`select count(*) from "${table}" where "${column}" > ?`).pluck().get(last)!;
}

/** Writes to a backup, in one transaction, what has to outlive the database that it replaces: no id is given twice. */
export function writeCarried(
  restored: Sqlite.Database,
  { lastIds, loss, carryOver }: Replaced,
): { summary: string; loss: Loss } {
  return restored.transaction(() => {
    for (const [table, id] of lastIds) raiseLastId(restored, table, id);
    const { summary, added } = carryOver(restored);
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

/** The tables of the service, whatever its version. */
function tablesOf(file: Sqlite.Database): { name: string; sql: string }[] {
  const tables = file.prepare(
    "select name, sql from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'",
  );
  return tables.all() as { name: string; sql: string }[];
}

/** The names of the columns of a table; none where there is no such table. */
export function columnsOf(file: Sqlite.Database, table: string): string[] {
  return file.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table);
}
