import { scopes } from "@petstore/contract";
import { ensureBootstrapKey } from "@platform/api-keys/bootstrap";
import { ensureQuickstartKey } from "@platform/api-keys/quickstart";
import { openDatabase } from "@platform/storage/database";
import { migrate } from "@platform/storage/migrations";
import type { Config } from "./config.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { Tables } from "./registrations.ts";

/**
 * Migrates the database to this version and creates the first API keys. Call it before any process serves requests. A database of
 * a later version stays as it is if this version can serve it.
 */
export async function prepare(config: Config): Promise<void> {
  const db = openDatabase<Tables>(config.databaseUrl, { checkpoints: config.checkpoints });
  try {
    await migrate(db, MIGRATIONS, { mayBeNewer: true });
    if (config.bootstrapKeyFile !== undefined)
      await ensureBootstrapKey(db, config.bootstrapKeyFile, config.environment);
    if (config.environment === "development") await ensureQuickstartKey(db, config.quickstartFile, scopes);
  } finally {
    await db.destroy();
  }
}
