import { setTimeout } from "node:timers/promises";
import type { Report } from "@openapi-operations/command-line";
import { type Kysely, sql } from "kysely";
import { Migrator } from "kysely/migration";
import { expectAdditions } from "./additions.ts";
import { DatabaseError } from "./database-error.ts";
import { isPostgres } from "./database.ts";

/** A change of the database, and the versions that can serve the database after it. */
export interface Migration {
  up: (db: Kysely<any>) => Promise<void>;
  /**
   * Every version can serve the database if the migration only adds to it, which `migrate` checks. Any other migration names
   * an earlier one: versions that have the earlier one can serve the database, before and after this migration.
   */
  servedBy: typeof EVERY_VERSION | { since: string };
}

/** Migrations by name, in the order in which they are applied. */
export type Migrations = Readonly<Record<string, Migration>>;

/** The value of `servedBy` for a migration that only adds. */
export const EVERY_VERSION = "every version";

/** An applied migration, as the database records it. */
export interface AppliedMigration {
  name: string;
  /** `every version`, or the migration since which versions can serve; null if an early version applied the migration. */
  servedBy: string | null;
}

/** The key of the advisory lock in PostgreSQL. The number is arbitrary, so that other programs are unlikely to use it. */
const LOCK = 7_382_955_337;
/** How long a process waits for another one to finish its migrations. */
const LOCK_TIMEOUT_MS = 60_000;

/** Kysely's table of applied migrations, with a column for `servedBy`. */
type MigrationTables = Record<"kysely_migration", { name: string; served_by: string | null }>;

/**
 * Applies the pending migrations in one transaction and returns their names. A lock makes concurrent processes migrate one
 * after the other. Throws `DatabaseError` if a newer version has migrated the database. With `mayBeNewer`, it throws only if
 * this version cannot serve the newer database.
 */
export async function migrate(
  db: Kysely<any>,
  migrations: Migrations,
  { mayBeNewer = false, report }: { mayBeNewer?: boolean; report?: Report | undefined } = {},
): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    if (isPostgres(trx)) await acquireLock(trx, report);
    const newer = findNewer(await appliedMigrations(trx), migrations);
    if (newer !== undefined) {
      const obstacle = mayBeNewer ? newer.obstacle : "Run the version that made it, or a later one.";
      if (obstacle === undefined) return [];
      throw new DatabaseError(
        `The database is newer than this program, which does not know its migration ${newer.names.join(", ")}. ${obstacle}`,
      );
    }
    const names = await applyPending(trx, migrations, report);
    await recordServedBy(trx, migrations);
    return names;
  });
}

/** Polls for the lock, because `lock_timeout` would abort a statement that waits for the lock. */
async function acquireLock(trx: Kysely<any>, report: Report | undefined): Promise<void> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as taken`.execute(trx);
    if (rows[0]?.taken) return;
    report?.("Waiting for another process to migrate the database");
    if (performance.now() > deadline) {
      throw new DatabaseError(
        "Another process has been migrating the database for a minute. Wait for it to finish, or stop it.",
      );
    }
    await setTimeout(50 + Math.random() * 50);
  }
}

async function applyPending(trx: Kysely<any>, migrations: Migrations, report: Report | undefined): Promise<string[]> {
  const entries = Object.entries(migrations).map(([name, { up, servedBy }]) => {
    const applied = (db: Kysely<any>) => {
      report?.(`Applying ${name}`);
      return servedBy === EVERY_VERSION ? expectAdditions(db, name, () => up(db)) : up(db);
    };
    return [name, { up: applied }] as const;
  });
  const migrator = new Migrator({ db: trx, provider: { getMigrations: async () => Object.fromEntries(entries) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const reason = (error as Error).message;
    throw new DatabaseError(`The database could not be migrated and is unchanged (${reason}).`, { cause: error });
  }
  return results.map((result) => result.migrationName);
}

/** Records which versions can serve, also for migrations that an early version applied without the column. */
async function recordServedBy(trx: Kysely<any>, migrations: Migrations): Promise<void> {
  const applied = await appliedMigrations(trx);
  const missing = applied.filter(({ servedBy }) => servedBy === null);
  if (missing.length === 0) return;
  if (!(await hasServedBy(trx))) await sql`alter table kysely_migration add column served_by text`.execute(trx);
  for (const { name } of missing) {
    const { servedBy } = migrations[name]!;
    await trx
      .$extendTables<MigrationTables>()
      .updateTable("kysely_migration")
      .set({ served_by: servedBy === EVERY_VERSION ? servedBy : servedBy.since })
      .where("name", "=", name)
      .execute();
  }
}

/** Returns the migrations applied to the database, in their order. */
export async function appliedMigrations(db: Kysely<any>): Promise<AppliedMigration[]> {
  const hasColumn = await hasServedBy(db);
  if (hasColumn === undefined) return [];
  return db
    .$extendTables<MigrationTables>()
    .selectFrom("kysely_migration")
    .select(["name", hasColumn ? "served_by as servedBy" : sql<null>`null`.as("servedBy")])
    .orderBy("name")
    .execute();
}

/** Whether the table of applied migrations has the column `served_by`; undefined if there is no table. */
async function hasServedBy(db: Kysely<any>): Promise<boolean | undefined> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.find(({ name }) => name === "kysely_migration")?.columns.some(({ name }) => name === "served_by");
}

/** Returns the latest migration that a version needs to serve the database after the migrations; undefined if every version can. */
export function servedSince(names: readonly string[], migrations: Migrations): string | undefined {
  const needed = names.flatMap((name) => {
    const { servedBy } = migrations[name]!;
    return servedBy === EVERY_VERSION ? [] : [servedBy.since];
  });
  return needed.toSorted().at(-1);
}

/**
 * Returns the applied migrations that this version does not know, and the obstacle to serving the database nevertheless;
 * undefined if it knows all of them.
 */
export function findNewer(
  applied: readonly AppliedMigration[],
  migrations: Migrations,
): { names: string[]; obstacle: string | undefined } | undefined {
  const isKnown = (name: string): boolean => Object.hasOwn(migrations, name);
  const newer = applied.filter(({ name }) => !isKnown(name));
  if (newer.length === 0) return undefined;
  const names = newer.map(({ name }) => name);
  const lacking = Object.keys(migrations).filter((name) => !applied.some((other) => other.name === name));
  if (lacking.length > 0) {
    return {
      names,
      obstacle: `It lacks ${lacking.join(", ")}, which this program has. Run a version with all of these migrations.`,
    };
  }
  const obstacle = newer.find(({ servedBy }) => servedBy !== EVERY_VERSION && !isKnown(servedBy ?? ""));
  if (obstacle === undefined) return { names, obstacle: undefined };
  const since =
    obstacle.servedBy === null ? "" : ` Versions since ${obstacle.servedBy} can serve it after ${obstacle.name}.`;
  return { names, obstacle: `${since} Run the version that made it, or a later one.`.trimStart() };
}
