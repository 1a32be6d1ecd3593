import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type TransactionSettings,
} from "kysely";
import type { OnToken } from "../storage.ts";
import { limitsOf } from "./limits.ts";
import type { Pool, PoolOptions } from "./postgres.pool.ts";
import { COMMITTED } from "./standing.ts";

/**
 * Returns Kysely's dialect for PostgreSQL at a `postgres://` URL. Parameters of the URL override the limits. Every
 * query has a deadline, even if the server does not respond. If no server can be used, the query
 * throws `DatabaseError`. An int8 is returned as a number; a value that a number cannot hold exactly throws.
 */
export function postgresDialect(url: string, options?: PoolOptions): Dialect {
  const adapter = new PostgresPoolAdapter();
  return {
    createAdapter: () => adapter,
    createDriver: () => new Driver(url, adapter, options),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Kysely's adapter, which also runs prepared queries without waiting for the earlier ones of their connection. */
export class PostgresPoolAdapter extends PostgresAdapter {
  pool: Pool | undefined;
  /** The connections of transactions, whose queries Kysely itself would send one after the other. */
  readonly #connections = new WeakMap<object, DatabaseConnection>();

  // Takes no lock, because Kysely's would outlive a failed migration. `migrate` takes a lock that ends with its transaction.
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}

  /** Called with the token of a commit on a connection. */
  readonly onToken = new WeakMap<DatabaseConnection, OnToken>();

  /** Runs the work of a transaction and sends its prepared queries at once. The commit then passes its token to `onToken`. */
  async pipelined<Result>(trx: Kysely<any>, work: () => Promise<Result>, onToken?: OnToken): Promise<Result> {
    const executor = trx.getExecutor();
    const connection = await executor.provideConnection(async (own) => own);
    this.#connections.set(executor, connection);
    if (onToken === undefined) this.onToken.delete(connection); // that of an earlier transaction
    else this.onToken.set(connection, onToken);
    try {
      return await work();
    } finally {
      this.#connections.delete(executor); // so that Kysely rejects queries after the end
    }
  }

  /** Runs a query and resolves with its rows. Returns undefined if Kysely has to run it: to open the pool, or in its order. */
  execute(sql: string, parameters: unknown[], db: Kysely<any>): Promise<unknown[]> | undefined {
    const connection = this.#connections.get(db.getExecutor());
    if (connection === undefined)
      return db.isTransaction ? undefined : this.pool?.execute(sql, parameters).then(({ rows }) => rows);
    return connection.executeQuery(CompiledQuery.raw(sql, parameters)).then(({ rows }) => rows);
  }
}

class Driver extends PostgresDriver {
  readonly #begun = new WeakMap<DatabaseConnection, Promise<void>>();
  readonly #adapter: PostgresPoolAdapter;

  constructor(url: string, adapter: PostgresPoolAdapter, options?: PoolOptions) {
    const { limits, rest } = limitsOf(url);
    super({
      pool: async () => (adapter.pool = (await import("./postgres.pool.ts")).openPool(rest, limits, options)),
    });
    this.#adapter = adapter;
  }

  /** Does not wait for the response, so that the first query of the transaction goes to the server with `begin`. */
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const begun = super.beginTransaction(connection, settings);
    begun.catch(() => {}); // the commit reports it
    this.#begun.set(connection, begun);
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const onToken = this.#adapter.onToken.get(connection);
    const [, , asked] = await Promise.all([
      this.#begun.get(connection),
      super.commitTransaction(connection),
      onToken && connection.executeQuery<{ token: string }>(CompiledQuery.raw(`select ${COMMITTED} as token`)), // goes to the server with the commit
    ]);
    onToken?.(asked!.rows[0]!.token);
  }
}
