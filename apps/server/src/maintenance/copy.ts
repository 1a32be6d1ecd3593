import { createHash } from "node:crypto";
import { sql } from "kysely";
import { DatabaseError } from "../database/database.errors.ts";
import { type Database, isPostgres, type Tables } from "../database/database.ts";
import { migrate } from "../database/migrations.ts";
import { MIGRATIONS } from "../migrations.ts";

/** What was copied of one table. The checksum is of what the new database holds, whatever the order of its rows. */
export interface CopiedTable {
  table: keyof Tables;
  rows: number;
  checksum: string;
}

type Row = Record<string, unknown>;

/** Every table after those that it references, with its primary key. */
const PRIMARY_KEYS = {
  pets: ["id"],
  api_keys: ["id"],
  audit: ["id"],
  idempotency_keys: ["api_key_id", "key"],
} as const satisfies Record<keyof Tables, readonly string[]>;

const ROWS_AT_ONCE = 1_000;

/**
 * Copies every row, with its id and the ids never to be given again, to a database that holds none, and reads it back to
 * compare. Nobody can write to the old database meanwhile. Throws `DatabaseError`, leaving the new one without a row.
 */
export async function copyDatabase(from: Database, to: Database): Promise<CopiedTable[]> {
  for (const db of [from, to]) await migrate(db, MIGRATIONS);
  return from.transaction().execute((source) =>
    to.transaction().execute(async (target) => {
      for (const trx of [source, target]) await holdTables(trx);
      const copied: CopiedTable[] = [];
      for (const table of Object.keys(PRIMARY_KEYS) as (keyof Tables)[])
        copied.push(await copyTable(source, target, table));
      return copied;
    }),
  );
}

async function copyTable(source: Database, target: Database, table: keyof Tables): Promise<CopiedTable> {
  for await (const _ of pagesOf(target, table)) {
    throw new DatabaseError(`The database to copy to already holds rows in ${table}. Copy to an empty one.`);
  }
  const read = new Sum();
  for await (const rows of pagesOf(source, table)) {
    read.add(rows);
    await target.insertInto(table).values(rows).execute();
  }
  if (isNumbered(table)) await setLastId(target, table, await lastId(source, table));

  const written = new Sum();
  for await (const rows of pagesOf(target, table)) written.add(rows);
  if (written.rows !== read.rows || written.checksum !== read.checksum) {
    throw new DatabaseError(`The copy of ${table} differs from it, so nothing is copied.`);
  }
  return { table, rows: written.rows, checksum: written.checksum };
}

/** SQLite's transactions exclude other writers by themselves. */
async function holdTables(trx: Database): Promise<void> {
  if (!isPostgres(trx)) return;
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
  await sql`lock table ${sql.join(Object.keys(PRIMARY_KEYS).map((table) => sql.table(table)))} in share mode`.execute(
    trx,
  );
}

async function* pagesOf(db: Database, table: keyof Tables): AsyncGenerator<Row[]> {
  const key = PRIMARY_KEYS[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  for (let after = sql`true`; ;) {
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} where ${after} order by ${columns} limit ${sql.lit(ROWS_AT_ONCE)}
    `.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = sql`(${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  }
}

/** The sum of the rows' SHA-256, since databases sort text differently. */
class Sum {
  rows = 0;
  #sum = 0n;

  add(rows: Row[]): void {
    this.rows += rows.length;
    for (const row of rows) {
      const columns = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));
      const hash = createHash("sha256").update(JSON.stringify(columns)).digest("hex");
      this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash}`));
    }
  }

  get checksum(): string {
    return this.#sum.toString(16).padStart(64, "0");
  }
}

function isNumbered(table: keyof Tables): boolean {
  return PRIMARY_KEYS[table][0] === "id";
}

/** The highest id ever given, also to a row that is gone; undefined when none was. */
async function lastId(db: Database, table: keyof Tables): Promise<number | undefined> {
  const query = isPostgres(db)
    ? sql<{ id: number }>`select last_value as id from ${sequenceOf(table)} where is_called`
    : sql<{ id: number }>`select seq as id from sqlite_sequence where name = ${table}`;
  return (await query.execute(db)).rows[0]?.id;
}

async function setLastId(db: Database, table: keyof Tables, id: number | undefined): Promise<void> {
  if (id === undefined) return;
  if (isPostgres(db)) {
    await sql`select setval(${`${table}_id_seq`}, ${id})`.execute(db);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${id})`.execute(db);
}

function sequenceOf(table: keyof Tables) {
  return sql.table(`${table}_id_seq`);
}
