import { readConfig } from "../config.ts";
import { type Database, openDatabase } from "./database.ts";
import { migrate } from "./migrations.ts";
import { MIGRATIONS } from "../migrations.ts";

/** Runs `work` on the database that the settings name, brought to this version, and closes it. */
export async function withDatabase<Result>(work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = openDatabase(readConfig(process.env).databaseUrl);
  try {
    await migrate(db, MIGRATIONS);
    return await work(db);
  } finally {
    await db.destroy();
  }
}
