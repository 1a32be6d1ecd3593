import { temporaryUrl } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import type { Kysely } from "kysely";
import { onTestFinished } from "vitest";
import { openDatabase } from "../src/database.ts";
import { migrate, type Migrations } from "../src/migrations.ts";
import { openStorage } from "../src/open-storage.ts";
import type { OnCommit, Storage } from "../src/storage.ts";

/** A connection that is closed after the test. */
export function opened<Tables>(url: string): Kysely<Tables> {
  const db = openDatabase<Tables>(url);
  onTestFinished(() => db.destroy());
  return db;
}

/** Creates a migrated database and drops it after the test. */
export async function temporaryDatabase<Tables>(migrations: Migrations): Promise<Kysely<Tables>> {
  const db = opened<Tables>(await temporaryUrl());
  await migrate(db, migrations);
  return db;
}

/** Opens a storage on a migrated database and drops it after the test. */
export async function temporaryStorage<Tables>(
  migrations: Migrations,
  onCommit?: OnCommit,
): Promise<Storage<Tables> & { url: string }> {
  const url = await temporaryUrl();
  await migrate(opened(url), migrations);
  const storage = openStorage<Tables>(url, { onCommit });
  onTestFinished(() => storage.destroy());
  return { ...storage, url };
}

/** Opens a SQLite database in memory, runs the statements, and closes it after the test. */
export function memoryDatabase(...statements: string[]): Sqlite.Database {
  const file = new Sqlite(":memory:");
  onTestFinished(() => void file.close());
  return file.exec(statements.join(";\n"));
}
