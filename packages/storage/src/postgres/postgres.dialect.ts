import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type TransactionSettings,
} from "kysely";
import { DatabaseError } from "../database-error.ts";

/**
 * Returns Kysely's dialect for PostgreSQL at a `postgres://` URL. Parameters of the URL override the settings here. Every
 * query has a deadline, even if the server does not respond. If no server can be used, the query
 * throws `DatabaseError`. An int8 is returned as a number; a value that a number cannot hold exactly throws.
 */
export function postgresDialect(url: string): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => new Driver(url),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Takes no lock, because Kysely's would outlive a failed migration. `migrate` takes a lock that ends with its transaction. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class Driver extends PostgresDriver {
  readonly #setLimits: string;

  constructor(url: string) {
    const { limits, rest } = limitsOf(url);
    super({ pool: async () => (await import("./postgres.pool.ts")).openPool(rest, limits) });
    this.#setLimits = setLocally(limits);
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    try {
      return await super.acquireConnection();
    } catch (cause) {
      const { message, code } = cause as NodeJS.ErrnoException;
      const remedy = "Check that its server runs and lets this user in, or set DATABASE_URL to another database.";
      throw new DatabaseError(`The PostgreSQL database cannot be used (${message || code}). ${remedy}`, { cause });
    }
  }
  /** Sets the limits in each transaction, because a pooler may ignore them at the start of a connection. */
  override beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const begin: DatabaseConnection = {
      ...connection,
      executeQuery: ({ sql }, options) =>
        connection.executeQuery(CompiledQuery.raw(`${sql}; ${this.#setLimits}`), options),
    };
    return super.beginTransaction(begin, settings);
  }
}

/** In milliseconds: when the server ends a statement, its wait for a locked row, and an idle transaction. 0 is no limit. */
const DEFAULTS = { statement_timeout: 4_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 4_000 };

/** The limits that the server enforces, by the names of its settings. */
export type Limits = Readonly<Record<keyof typeof DEFAULTS, number>>;

/** Splits a URL into the limits that it sets, with defaults for the others, and the URL without them. */
export function limitsOf(url: string): { limits: Limits; rest: string } {
  const [before, query = ""] = url.split(/\?(.*)/s, 2) as [string, string?];
  const parameters = new URLSearchParams(query);
  const limits = Object.entries(DEFAULTS).map(([name, value]) => [name, Number(parameters.get(name) ?? value)]);
  for (const name of Object.keys(DEFAULTS)) parameters.delete(name);
  return {
    limits: Object.fromEntries(limits) as Limits,
    rest: parameters.size > 0 ? `${before}?${parameters.toString()}` : before,
  };
}

/** Returns statements that set the limits until the end of the transaction. */
export function setLocally(limits: Limits): string {
  return Object.entries(limits)
    .map(([name, value]) => `set local ${name} = ${value}`)
    .join("; ");
}
