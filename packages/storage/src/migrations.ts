import { setTimeout } from "node:timers/promises";
import type { Report } from "@platform/command-line";
import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { DatabaseError } from "./database-error.ts";
import { isPostgres } from "./database.ts";

/** Migrations by name, in the order in which they are applied. */
export type Migrations = Readonly<Record<string, Migration>>;

/** The key of the advisory lock in PostgreSQL. The number is arbitrary, so that other programs are unlikely to use it. */
const LOCK = 7_382_955_337;
/** How long a process waits for another one to finish its migrations. */
const LOCK_TIMEOUT_MS = 60_000;

/**
 * Applies the pending migrations in one transaction and returns their names. A lock makes concurrent processes migrate one
 * after the other. Throws `DatabaseError` if a newer version has migrated the database.
 */
export async function migrate(db: Kysely<any>, migrations: Migrations, report?: Report): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    if (isPostgres(trx)) await acquireLock(trx, report);
    await rejectNewerDatabase(trx, migrations);
    const migrator = new Migrator({ db: trx, provider: { getMigrations: async () => reported(migrations, report) } });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error !== undefined) {
      const reason = (error as Error).message;
      throw new DatabaseError(`The database could not be migrated and is unchanged (${reason}).`, { cause: error });
    }
    return results.map((result) => result.migrationName);
  });
}

/** Returns migrations that report their names. */
function reported(migrations: Migrations, report: Report | undefined): Record<string, Migration> {
  const entries = Object.entries(migrations).map(([name, migration]): [string, Migration] => {
    const up = (db: Kysely<any>) => {
      report?.(`Applying ${name}`);
      return migration.up(db);
    };
    return [name, { ...migration, up }];
  });
  return Object.fromEntries(entries);
}

/** Polls for the lock, because `lock_timeout` would abort a statement that waits for the lock. */
async function acquireLock(trx: Kysely<any>, report: Report | undefined): Promise<void> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as taken`.execute(trx);
    if (rows[0]?.taken) return;
    report?.("Waiting for another process that migrates the database");
    if (performance.now() > deadline) {
      throw new DatabaseError(
        "Another process has been migrating the database for a minute. Wait for its end, or end it.",
      );
    }
    await setTimeout(50 + Math.random() * 50);
  }
}

/** Returns the names of the migrations applied to the database. */
export async function appliedMigrations(db: Kysely<any>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === "kysely_migration")) return [];
  const applied = await db
    .$extendTables<{ kysely_migration: { name: string } }>()
    .selectFrom("kysely_migration")
    .select("name")
    .execute();
  return applied.map(({ name }) => name);
}

async function rejectNewerDatabase(db: Kysely<any>, migrations: Migrations): Promise<void> {
  const applied = await appliedMigrations(db);
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new DatabaseError(
    `The database is newer than this program, which does not know its migration ${unknown.join(", ")}. Run the version that made it, or a later one.`,
  );
}
