import { readFile } from "node:fs/promises";
import { isPostgresUrl, pathOfFileUrl } from "@openapi-operations/storage/url";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { execute } from "@platform/test-support/postgres";
import Sqlite from "better-sqlite3";

/** The fixtures in order. Each has the name of the last migration that was applied to the database. */
export const FIXTURES = [
  "0001_create_tables",
  "0002_audit_api_keys",
  "0003_create_rate_limits",
  "0004_name_creators",
] as const;

/** The animals that every fixture holds, and the keys whose hashes it holds. */
export const EARLIER = {
  pets: [
    { id: 1, name: "Rex", categoryId: 1, status: "available" },
    { id: 2, name: "Zoë 🐕", categoryId: -9007199254740991, status: "sold" },
  ],
  /** Allows reading and writing. */
  key: `pst_test_${"A".repeat(43)}4RGdAB`,
  /** Allows reading. */
  reader: `pst_test_${"B".repeat(43)}1eiCoK`,
} as const;

/**
 * The URL of a database as an earlier version left it, with rows in every table. The definitions for SQLite are the text of
 * its `sqlite_master`, which includes the layout of each statement.
 */
export async function earlierDatabase(fixture: (typeof FIXTURES)[number]): Promise<string> {
  const url = await temporaryUrl();
  const folder = isPostgresUrl(url) ? "postgres" : "sqlite";
  const text = await readFile(new URL(`fixtures/${folder}/${fixture}.sql`, import.meta.url), "utf8");
  if (isPostgresUrl(url)) await execute(url, text);
  else new Sqlite(pathOfFileUrl(url)).exec(`pragma journal_mode = wal; pragma synchronous = off; ${text}`).close();
  return url;
}
