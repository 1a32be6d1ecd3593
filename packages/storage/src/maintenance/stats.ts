import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { NAME } from "@platform/name";
import Sqlite from "better-sqlite3";
import { type Kysely, sql } from "kysely";
import { DatabaseError } from "../database-error.ts";
import { openDatabase } from "../database.ts";
import { type AnyTables, isNumbered } from "../registration.ts";
import { openError } from "../sqlite/sqlite.errors.ts";
import { isPostgresUrl, pathOfFileUrl } from "../url.ts";

/** How a number was found: counted, estimated, or counted up to a limit. */
export type Precision = "exact" | "estimate" | "minimum";

/** The content of one table. */
export interface TableStats {
  table: string;
  rows: number;
  rowsAre: Precision;
  /** Bytes with indexes. */
  bytes: number;
  bytesAre: Precision;
  /** The times of the oldest and the newest row in milliseconds since 1970; undefined if unknown. */
  oldest: number | undefined;
  newest: number | undefined;
}

/** The content of a database. */
export interface DatabaseStats {
  database: "SQLite" | "PostgreSQL";
  bytes: number;
  /** SQLite: bytes in the file that new rows will use. */
  freeBytes?: number;
  /** SQLite: the size of the write-ahead log. */
  walBytes?: number;
  /** PostgreSQL: deleted rows that wait for vacuum. */
  deadRows?: number;
  tables: TableStats[];
}

/** Limits of the work. Beyond them, numbers are estimates. */
export interface StatsLimits {
  /** The most rows to count in a table. */
  rows: number;
  /** The most pages of a SQLite file to read for the bytes of its tables. */
  pages: number;
}

const LIMITS: StatsLimits = { rows: 1_000_000, pages: 65_536 };

/** The columns with the time of a row, of which a table has one at most. */
const TIME_COLUMNS = ["created_at", "at"];

/** The number of rows whose average size stands for the others. */
const SAMPLE = 1_000;

/**
 * Returns the sizes of a database and of those tables that it has. Reads only, in one transaction, also while the service runs.
 * Large databases cost no more than `limits`.
 */
export async function databaseStats(url: string, tables: AnyTables, limits = LIMITS): Promise<DatabaseStats> {
  return isPostgresUrl(url) ? postgresStats(url, tables, limits) : sqliteStats(pathOfFileUrl(url), tables, limits);
}

function sqliteStats(path: string, tables: AnyTables, limits: StatsLimits): DatabaseStats {
  if (!existsSync(path)) {
    const remedy = `Start the service or run \`${NAME} migrate\` to create it, or set DATABASE_URL to another file.`;
    throw new DatabaseError(`There is no database at ${resolve(path)}. ${remedy}`);
  }
  let file: Sqlite.Database | undefined;
  try {
    file = new Sqlite(path, { readonly: true, fileMustExist: true });
    return readFile(file, path, tables, limits);
  } catch (error) {
    throw error instanceof Sqlite.SqliteError ? openError(path, error) : error;
  } finally {
    file?.close();
  }
}

function readFile(file: Sqlite.Database, path: string, tables: AnyTables, limits: StatsLimits): DatabaseStats {
  const pragma = (name: string) => file.pragma(name, { simple: true }) as number;
  file.exec("begin"); // one snapshot
  const [pages, pageSize, free] = [pragma("page_count"), pragma("page_size"), pragma("freelist_count")];
  const isMeasured = pages <= limits.pages;
  const present = Object.entries(tables).filter(([name]) => columnsOf(file, name).length > 0);
  const counted = present.map(([table, { key }]): TableStats => {
    const rows = countRows(file, table, isNumbered({ key }) ? key[0] : undefined, limits.rows);
    const bytes = isMeasured ? bytesOf(file, table) : rows.rows * sampledSize(file, table, key);
    return { table, ...rows, bytes, bytesAre: isMeasured ? "exact" : "estimate", ...timesIn(file, table, key, rows) };
  });
  if (!isMeasured) scale(counted, (pages - free) * pageSize);
  return {
    database: "SQLite",
    bytes: pages * pageSize,
    freeBytes: free * pageSize,
    walBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    tables: counted,
  };
}

function columnsOf(file: Sqlite.Database, table: string): string[] {
  return file.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table);
}

/** Counts rows up to the limit. Beyond it, a table with ids has about as many rows as ids between the first and the last. */
function countRows(
  file: Sqlite.Database,
  table: string,
  id: string | undefined,
  limit: number,
): Pick<TableStats, "rows" | "rowsAre"> {
  const rows = file
    .prepare<[], number>(`select count(*) from (select 1 from "${table}" limit ${limit + 1})`)
    .pluck()
    .get()!;
  if (rows <= limit) return { rows, rowsAre: "exact" };
  if (id === undefined) return { rows: limit, rowsAre: "minimum" };
  const edge = (edgeOf: "min" | "max") =>
    file.prepare<[], number>(`select ${edgeOf}("${id}") from "${table}"`).pluck().get()!;
  return { rows: edge("max") - edge("min") + 1, rowsAre: "estimate" };
}

/** Adds up the pages of a table and its indexes: https://sqlite.org/dbstat.html */
function bytesOf(file: Sqlite.Database, table: string): number {
  const query = `select sum(pgsize) from sqlite_schema
    join dbstat on dbstat.name = sqlite_schema.name and aggregate = true where tbl_name = ?`;
  return file.prepare<[string], number>(query).pluck().get(table) ?? 0;
}

/** Returns the average size of the last rows as JSON, which is about proportional to their size on disk. */
function sampledSize(file: Sqlite.Database, table: string, key: readonly string[]): number {
  const order = key.map((column) => `"${column}" desc`).join(", ");
  const rows = file.prepare(`select * from "${table}" order by ${order} limit ${SAMPLE}`).all();
  return rows.reduce<number>((size, row) => size + JSON.stringify(row).length, 0) / Math.max(1, rows.length);
}

/** Distributes the bytes of a file over its tables, in proportion to their estimates. */
function scale(tables: TableStats[], bytes: number): void {
  const total = tables.reduce((sum, table) => sum + table.bytes, 0);
  for (const table of tables) table.bytes = total === 0 ? 0 : Math.round((table.bytes / total) * bytes);
}

/** Reads the times of the first and the last row by id; else, in a table that was counted, the least and the greatest time. */
function timesIn(
  file: Sqlite.Database,
  table: string,
  key: readonly string[],
  { rowsAre }: Pick<TableStats, "rowsAre">,
): Pick<TableStats, "oldest" | "newest"> {
  const query = timesQuery(table, key, rowsAre, columnsOf(file, table));
  return query === undefined ? NO_TIMES : toTimes(file.prepare<[], Times>(query).get()!);
}

/** The result of a query for times. */
interface Times {
  oldest: number | null;
  newest: number | null;
}

const NO_TIMES = { oldest: undefined, newest: undefined };

function toTimes({ oldest, newest }: Times): Pick<TableStats, "oldest" | "newest"> {
  return { oldest: oldest ?? undefined, newest: newest ?? undefined };
}

/** Returns a query that is fast in a table of any size; undefined if there is none, or no time in the table. */
function timesQuery(table: string, key: readonly string[], rowsAre: Precision, columns: string[]): string | undefined {
  const time = TIME_COLUMNS.find((column) => columns.includes(column));
  if (time === undefined) return undefined;
  const first = (order: string) => `(select "${time}" from "${table}" order by "${key[0]}" ${order} limit 1)`;
  if (isNumbered({ key })) return `select ${first("asc")} as oldest, ${first("desc")} as newest`;
  if (rowsAre !== "exact") return undefined;
  return `select min("${time}") as oldest, max("${time}") as newest from "${table}"`;
}

async function postgresStats(url: string, tables: AnyTables, limits: StatsLimits): Promise<DatabaseStats> {
  const db = openDatabase<Record<string, never>>(url);
  try {
    return await db
      .transaction()
      .setAccessMode("read only")
      .execute((trx) => readServer(trx, tables, limits));
  } finally {
    await db.destroy();
  }
}

async function readServer(trx: Kysely<any>, tables: AnyTables, limits: StatsLimits): Promise<DatabaseStats> {
  const measured: TableStats[] = [];
  let deadRows = 0;
  for (const [table, { key }] of Object.entries(tables)) {
    const { rows: found } = await sql<{ rows: number; bytes: number; dead: number; columns: string[] }>`
      select reltuples as rows, pg_total_relation_size(pg_class.oid) as bytes, coalesce(n_dead_tup, 0) as dead,
        array(select attname::text from pg_attribute where attrelid = pg_class.oid and attnum > 0) as columns
      from pg_class left join pg_stat_user_tables on relid = pg_class.oid
      where pg_class.oid = to_regclass(${table})`.execute(trx);
    const [entry] = found;
    if (entry === undefined) continue;
    deadRows += entry.dead;
    const count = await postgresCount(trx, table, entry.rows, limits.rows);
    const query = timesQuery(table, key, count.rowsAre, entry.columns);
    const [times] = query === undefined ? [] : (await sql<Times>`${sql.raw(query)}`.execute(trx)).rows;
    const bytes = { bytes: entry.bytes, bytesAre: "exact" } as const;
    measured.push({ table, ...count, ...bytes, ...(times === undefined ? NO_TIMES : toTimes(times)) });
  }
  const { rows: sizes } = await sql<{ bytes: number }>`
    select pg_database_size(current_database()) as bytes`.execute(trx);
  return { database: "PostgreSQL", bytes: sizes[0]!.bytes, deadRows, tables: measured };
}

/** Counts rows up to the limit. Beyond it, the number is the server's own estimate. */
async function postgresCount(
  trx: Kysely<any>,
  table: string,
  estimate: number,
  limit: number,
): Promise<Pick<TableStats, "rows" | "rowsAre">> {
  if (estimate > limit) return { rows: Math.round(estimate), rowsAre: "estimate" };
  const { rows } = await sql<{ rows: number }>`
    select count(*) as rows from (select 1 from ${sql.table(table)} limit ${sql.lit(limit + 1)}) as counted`.execute(
    trx,
  );
  const count = rows[0]!.rows;
  return count <= limit ? { rows: count, rowsAre: "exact" } : { rows: limit, rowsAre: "minimum" };
}
