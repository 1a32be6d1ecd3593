import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { FileMovedError } from "./sqlite/sqlite.errors.ts";
import type { Storage } from "./storage.ts";

/** How long the database may take to respond before it counts as unavailable. */
const DEADLINE_MS = 1_000;

const NO_RESPONSE = "The database does not respond.";

/** The reason why the database cannot be used. The message is safe for clients: it contains no path and no host. */
export interface Failure {
  error: unknown;
  message: string;
}

/**
 * Returns the reason why a table cannot be read or the database cannot be written, or undefined if both work. Writing is
 * tested only after a write has failed.
 */
export async function findDatabaseFailure(
  storage: Storage<any>,
  tables: readonly string[],
): Promise<Failure | undefined> {
  const stop = new AbortController();
  const failure = new Error(`no response in ${DEADLINE_MS} ms`);
  const timeout = setTimeout(DEADLINE_MS, failure, { signal: stop.signal });
  timeout.catch(() => {});
  try {
    return await Promise.race([examine(storage, tables), timeout.then((error) => ({ error, message: NO_RESPONSE }))]);
  } finally {
    stop.abort();
  }
}

/** Reads from the tables, because `select 1` does not read the file. */
async function examine(
  { db, expectFileAtPath, expectWritable }: Storage<any>,
  tables: readonly string[],
): Promise<Failure | undefined> {
  let message = NO_RESPONSE;
  try {
    expectFileAtPath();
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
