import type Sqlite from "better-sqlite3";
import type { AnyTables } from "../registration.ts";

/** The number of rows by table; only tables that have a noun. */
export type RowCounts = Readonly<Record<string, number>>;

/** Counts the rows of a database of any version. */
export function countRows(file: Sqlite.Database, tables: AnyTables): RowCounts {
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
