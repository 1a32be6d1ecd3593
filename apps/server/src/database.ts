import { scopes } from "@petstore/contract";
import { ensureBootstrapKey, ensureQuickstartKey } from "@platform/api-keys/first-keys";
import { withProgress } from "@platform/command-line";
import { openDatabase, type WithDatabase } from "@platform/storage/database";
import { migrate } from "@platform/storage/migrations";
import type { Kysely } from "kysely";
import { type Config, readConfig } from "./config.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { Tables } from "./registrations.ts";

/** Opens the database in the settings, runs `work` on it, and closes it. */
export async function opened<Result>(
  { databaseUrl, checkpoints }: Config,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase<Tables>(databaseUrl, { checkpoints });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Migrates the database to this version and creates the first API keys. Call it before any process serves requests. A database of
 * a later version stays as it is if this version can serve it.
 */
export function prepare(config: Config): Promise<void> {
  return opened(config, async (db) => {
    await migrate(db, MIGRATIONS, { mayBeNewer: true });
    if (config.bootstrapKeyFile !== undefined)
      await ensureBootstrapKey(db, config.bootstrapKeyFile, config.environment);
    if (config.environment === "development") await ensureQuickstartKey(db, config.quickstartFile, scopes);
  });
}

/** Opens the database of the environment, migrates it to this version unless it is of a later one, runs `work` on it, and closes it. */
export const withDatabase: WithDatabase<Tables> = (work) =>
  opened(readConfig(process.env), async (db) => {
    await withProgress((report) => migrate(db, MIGRATIONS, { mayBeNewer: true, report }));
    return work(db);
  });
