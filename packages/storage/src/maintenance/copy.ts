import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { printJson, type Report, withProgress } from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import type { Command } from "commander";
import { type Kysely, sql } from "kysely";
import { DatabaseError } from "../database-error.ts";
import { isPostgres, openDatabase } from "../database.ts";
import { migrate } from "../migrations.ts";
import { isNumbered, type Schema } from "../registration.ts";
import { isDatabaseUrl, isPostgresUrl, pathOfFileUrl, realPathOf } from "../url.ts";

/** The number of rows copied to one table of the new database, and their checksum. */
export interface CopiedTable {
  table: string;
  rows: number;
  checksum: string;
}

type Row = Record<string, unknown>;

/** The columns of a primary key. */
type Key = readonly string[];

const PAGE_SIZE = 1_000;

/**
 * Copies every row and the last assigned ids to an empty database, then reads the copy back and compares checksums. The
 * old database is locked against writes until the copy ends. On failure, throws and adds no row to the new database.
 */
export async function copyDatabase(
  from: Kysely<any>,
  to: Kysely<any>,
  { migrations, tables }: Schema,
  report?: Report,
): Promise<CopiedTable[]> {
  for (const db of [from, to]) await migrate(db, migrations, { report });
  return from.transaction().execute((source) =>
    to.transaction().execute(async (target) => {
      for (const trx of [source, target]) await lockTables(trx, Object.keys(tables));
      const copied: CopiedTable[] = [];
      for (const [table, { key }] of Object.entries(tables))
        copied.push(await copyTable(source, target, { table, key, report }));
      report?.("Committing the copy");
      return copied;
    }),
  );
}

async function copyTable(
  source: Kysely<any>,
  target: Kysely<any>,
  { table, key, report }: { table: string; key: Key; report: Report | undefined },
): Promise<CopiedTable> {
  for await (const _ of pagesOf(target, table, key)) {
    throw new DatabaseError(`The database to copy to already holds rows in ${table}. Copy to an empty one.`);
  }
  report?.(`Counting ${table}`);
  const count = source.selectFrom(table).select(({ fn }) => fn.countAll<number>().as("total"));
  const { total } = await count.executeTakeFirstOrThrow();
  const read = new TableChecksum();
  for await (const rows of pagesOf(source, table, key)) {
    report?.(`Copying ${table}`, { done: read.rows, total, unit: "rows" });
    read.add(rows);
    await target.insertInto(table).values(rows).execute();
  }
  if (isNumbered({ key })) await setLastId(target, table, await lastId(source, table));

  const written = new TableChecksum();
  for await (const rows of pagesOf(target, table, key)) {
    report?.(`Comparing ${table}`, { done: written.rows, total, unit: "rows" });
    written.add(rows);
  }
  if (written.checksum !== read.checksum) {
    throw new DatabaseError(`The copy of ${table} differs from it, so nothing is copied.`);
  }
  return { table, rows: written.rows, checksum: written.checksum };
}

/** Locks the tables against writes on PostgreSQL. On SQLite the transaction itself excludes other writers. */
async function lockTables(trx: Kysely<any>, tables: string[]): Promise<void> {
  if (!isPostgres(trx)) return;
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
  await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in share mode`.execute(trx);
}

async function* pagesOf(db: Kysely<any>, table: string, key: Key): AsyncGenerator<Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  for (let after = sql`true`; ;) {
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} where ${after} order by ${columns} limit ${sql.lit(PAGE_SIZE)}
    `.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = sql`(${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  }
}

/** The sum of the SHA-256 of each row. A sum does not depend on the order of rows; the databases sort text differently. */
class TableChecksum {
  rows = 0;
  #sum = 0n;

  add(rows: Row[]): void {
    this.rows += rows.length;
    for (const row of rows) {
      const columns = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));
      this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash("sha256", JSON.stringify(columns))}`));
    }
  }

  get checksum(): string {
    return this.#sum.toString(16).padStart(64, "0");
  }
}

/** Returns the highest id ever assigned, even if its row was deleted; undefined if no id was assigned. */
async function lastId(db: Kysely<any>, table: string): Promise<number | undefined> {
  const query = isPostgres(db)
    ? sql<{ id: number }>`select last_value as id from ${sql.table(`${table}_id_seq`)} where is_called`
    : sql<{ id: number }>`select seq as id from sqlite_sequence where name = ${table}`;
  return (await query.execute(db)).rows[0]?.id;
}

async function setLastId(db: Kysely<any>, table: string, id: number | undefined): Promise<void> {
  if (id === undefined) return;
  if (isPostgres(db)) {
    await sql`select setval(${`${table}_id_seq`}, ${id})`.execute(db);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${id})`.execute(db);
}

/** Adds `copy` to the command line. */
export function addCopyCommand(program: Command, schema: Schema): void {
  const command = program
    .command("copy")
    .description("copy a database to an empty one, such as SQLite to PostgreSQL, and compare")
    .requiredOption("--from <url>", "the database to copy, whose service is stopped", (url) => parse("--from", url))
    .requiredOption("--to <url>", "the empty database to copy to", (url) => parse("--to", url))
    .option("--json", "print JSON")
    .action(async (options: CopyOptions) => {
      if (locationOf(options.from) === locationOf(options.to))
        command.error("error: options '--from' and '--to' name the same database.");
      await copy(options, schema);
    });

  /** Commander's own error would repeat the value, which may contain a password. */
  function parse(option: string, text: string): string {
    const url = text.trim();
    if (isDatabaseUrl(url)) return url;
    const examples = `file:data/${SERVICE.name}.db or postgres://user:password@host:5432/${SERVICE.name}`;
    return command.error(`error: option '${option} <url>' argument is invalid. Give it as ${examples}.`);
  }
}

interface CopyOptions {
  from: string;
  to: string;
  json?: true;
}

async function copy({ from, to, json }: CopyOptions, schema: Schema): Promise<void> {
  if (!isPostgresUrl(from) && !existsSync(pathOfFileUrl(from)))
    throw new DatabaseError("There is no database at the path that --from names.");
  const [source, target] = [openDatabase(from), openDatabase(to)];
  try {
    const copied = await withProgress((report) => copyDatabase(source, target, schema, report));
    if (json) return printJson(copied);
    for (const { table, rows, checksum } of copied) console.log(`${table}: ${rows} rows, checksum ${checksum}`);
    console.log("Both databases contain the same data. Start the service with DATABASE_URL set to the new one.");
  } finally {
    await Promise.all([source.destroy(), target.destroy()]);
  }
}

function locationOf(url: string): string {
  return isPostgresUrl(url) ? url : realPathOf(pathOfFileUrl(url));
}
