import {
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import { DatabaseError } from "../database-error.ts";

/**
 * PostgreSQL at a `postgres://` URL, whose parameters override the settings here. Every query ends, with or without the
 * server, at a deadline; an outage throws `DatabaseError`; an int8 is a number and exact, or throws.
 */
export function postgresDialect(url: string): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => new Driver({ pool: async () => (await import("./postgres.pool.ts")).openPool(url) }),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Kysely's own lock outlives a migration that fails in our transaction; `migrate` takes one that does not. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class Driver extends PostgresDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    try {
      return await super.acquireConnection();
    } catch (cause) {
      const { message, code } = cause as NodeJS.ErrnoException;
      const remedy = "Check that its server runs and lets this user in, or set DATABASE_URL to another database.";
      throw new DatabaseError(`The PostgreSQL database cannot be used (${message || code}). ${remedy}`, { cause });
    }
  }
}
