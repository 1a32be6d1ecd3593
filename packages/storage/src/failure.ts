import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { FileMovedError } from "./sqlite/sqlite.errors.ts";
import type { Storage } from "./storage.ts";

/** How long the database may take to answer before it counts as away. */
const DEADLINE_MS = 1_000;

const NO_ANSWER = "The database does not answer.";

/** What keeps the database from being used, and how that may be said to everybody, in words that show nothing of this machine. */
export interface Failure {
  error: unknown;
  message: string;
}

/** What keeps one of the tables from being read, or the database from being written since a write failed; undefined when nothing does. */
export async function failureOf(storage: Storage<any>, tables: readonly string[]): Promise<Failure | undefined> {
  const stop = new AbortController();
  const failure = new Error(`no answer in ${DEADLINE_MS} ms`);
  const timeout = setTimeout(DEADLINE_MS, failure, { signal: stop.signal });
  timeout.catch(() => {});
  try {
    return await Promise.race([examine(storage, tables), timeout.then((error) => ({ error, message: NO_ANSWER }))]);
  } finally {
    stop.abort();
  }
}

/** Reads from the tables, since `select 1` would not touch the file. */
async function examine(
  { db, expectInPlace, expectWritable }: Storage<any>,
  tables: readonly string[],
): Promise<Failure | undefined> {
  let message = NO_ANSWER;
  try {
    expectInPlace();
    const reads = tables.map((table) => sql`exists (select 1 from ${sql.table(table)})`);
    await sql`select ${sql.join(reads)}`.execute(db);
    message = "The database cannot be written.";
    await expectWritable();
    return undefined;
  } catch (error) {
    if (error instanceof FileMovedError) message = "The database file or its log was moved, removed or replaced.";
    return { error, message };
  }
}
