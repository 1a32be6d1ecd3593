import Sqlite from "better-sqlite3";
import { InsertQueryNode, type KyselyPlugin, sql } from "kysely";
import { isPostgresUrl, pathOfFileUrl } from "../src/url.ts";
import { type Database, opened, type Tables } from "./things.ts";

/** The tables that are copied. */
export const TABLES = ["things", "api_keys", "labels"] as const satisfies (keyof Tables)[];

/** Wraps a database so that `act` runs once, to its end, after the first row is added to `table`. */
export function actingAtInsert(db: Database, table: keyof Tables, act: () => Promise<void>): Database {
  const inserts = new WeakSet<object>();
  let hasActed = false;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (InsertQueryNode.is(node) && node.into?.table.identifier.name === table) inserts.add(queryId);
      return node;
    },
    transformResult: async ({ result, queryId }) => {
      if (inserts.has(queryId) && !hasActed) {
        hasActed = true;
        await act();
      }
      return result;
    },
  };
  return db.withPlugin(plugin);
}

/** Tries to write to each table from another connection without waiting for locks. Returns the error codes. */
export async function writeToEach(url: string): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  if (isPostgresUrl(url)) {
    const other = opened(`${url}?lock_timeout=50`);
    for (const table of TABLES)
      outcomes[table] = await codeOf(() => sql`delete from ${sql.table(table)}`.execute(other));
    return outcomes;
  }
  const other = new Sqlite(pathOfFileUrl(url), { timeout: 0 });
  for (const table of TABLES) outcomes[table] = await codeOf(() => other.exec(`delete from ${table}`));
  other.close();
  return outcomes;
}

async function codeOf(act: () => unknown): Promise<string> {
  try {
    await act();
    return "written";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** The same for each table. */
export function all(outcome: string): Record<string, string> {
  return Object.fromEntries(TABLES.map((table) => [table, outcome]));
}
