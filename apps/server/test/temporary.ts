import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Database, openDatabase } from "../src/database.ts";
import { migrate } from "../src/migrations.ts";

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "petstore-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** The URL of a database file that does not exist yet. */
export async function temporaryUrl(): Promise<string> {
  return `file:${join(await temporaryFolder(), "petstore.db")}`;
}

/** A connection that is closed after the test. */
export function opened(url: string): Database {
  const db = openDatabase(url);
  onTestFinished(() => db.destroy());
  return db;
}

/** A fresh database with every table. */
export async function temporaryDatabase(): Promise<Database> {
  const db = opened(await temporaryUrl());
  await migrate(db);
  return db;
}
