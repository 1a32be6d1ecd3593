import { withProgress } from "@platform/command-line";
import { openDatabase, type WithDatabase } from "@platform/storage/database";
import { migrate } from "@platform/storage/migrations";
import { readConfig } from "./config.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { Tables } from "./registrations.ts";

/** Opens the database in the settings, migrates it to this version unless it is of a later one, runs `work` on it, and closes it. */
export const withDatabase: WithDatabase<Tables> = async (work) => {
  const { databaseUrl, checkpoints } = readConfig(process.env);
  const db = openDatabase<Tables>(databaseUrl, { checkpoints });
  try {
    await withProgress((report) => migrate(db, MIGRATIONS, { mayBeNewer: true, report }));
    return await work(db);
  } finally {
    await db.destroy();
  }
};
