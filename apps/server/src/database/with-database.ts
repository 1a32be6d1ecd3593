import type { Kysely } from "kysely";
import { readConfig } from "../config.ts";
import { openDatabase } from "./database.ts";
import { migrate } from "./migrations.ts";
import { MIGRATIONS } from "../migrations.ts";
import type { Tables } from "../registrations.ts";

/** Runs `work` on the database that the settings name, brought to this version, and closes it. */
export async function withDatabase<Result>(work: (db: Kysely<Tables>) => Promise<Result>): Promise<Result> {
  const db = openDatabase<Tables>(readConfig(process.env).databaseUrl);
  try {
    await migrate(db, MIGRATIONS);
    return await work(db);
  } finally {
    await db.destroy();
  }
}
