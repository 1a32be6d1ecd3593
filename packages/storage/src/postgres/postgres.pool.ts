import { NAME } from "@platform/name";
import pg from "pg";
import { DatabaseError } from "../database-error.ts";

/** The maximum number of connections in a pool. */
const POOL_SIZE = 10;
/** How long a query waits for a connection. */
const CONNECT_MS = 2_000;
/** How long a statement waits for a row locked by another transaction. */
const LOCK_MS = 2_000;
/** When the server ends a statement or an idle transaction. The URL may set another timeout for statements. */
const STATEMENT_MS = 4_000;
/** How long after that timeout the client closes the connection if the server has not responded. */
const GRACE_MS = 1_000;

const pools = new Set<pg.Pool>();

/** Returns the connections of all pools of this process: in use, the most there can be, and the queries that wait for one. */
export function connectionCounts(): { used: number; limit: number; waiting: number } {
  const counts = { used: 0, limit: 0, waiting: 0 };
  for (const pool of pools) {
    if (pool.ended) pools.delete(pool);
    counts.used += pool.totalCount - pool.idleCount;
    counts.limit += pool.ended ? 0 : pool.options.max;
    counts.waiting += pool.waitingCount;
  }
  return counts;
}

/** Opens a connection pool to the server at a `postgres://` URL. This module is separate so that SQLite does not load `pg`. */
export function openPool(url: string): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, exactInteger);
  const pool = new pg.Pool({
    Client,
    connectionString: url,
    application_name: NAME,
    types,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    lock_timeout: LOCK_MS,
    statement_timeout: Number(URL.parse(url)?.searchParams.get("statement_timeout") ?? STATEMENT_MS),
    idle_in_transaction_session_timeout: STATEMENT_MS,
  });
  pools.add(pool);
  // Without listeners, the error of a lost idle connection would end the process. The pool drops such a connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Adds a deadline to queries, because pg's `query_timeout` would return a connection to the pool that is still busy. */
class Client extends pg.Client {
  readonly #deadlineMs: number | undefined;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    this.#deadlineMs = config.statement_timeout ? config.statement_timeout + GRACE_MS : undefined;
  }

  // An invalid address, such as a wrong port, makes pg throw, but the pool expects the error in its callback.
  override connect(callback?: any): any {
    try {
      return super.connect(callback);
    } catch (error) {
      callback(error);
    }
  }

  // Destroys the socket, because a server that does not respond never closes it, and an open socket keeps the process alive.
  // `any` replaces the overloads of pg. The pool calls the overload with a callback.
  override end(callback?: any): any {
    setTimeout(() => this.connection.stream.destroy(), GRACE_MS).unref();
    return super.end(callback);
  }

  // `any` replaces the overloads of pg. Kysely calls the overload with a text and values.
  override async query(text: any, values?: any): Promise<any> {
    const deadline = this.#deadlineMs && setTimeout(() => void this.end(), this.#deadlineMs);
    try {
      return await super.query(text, values);
    } catch (cause) {
      if (cause instanceof pg.DatabaseError || cause instanceof RangeError || cause instanceof TypeError) throw cause;
      throw new DatabaseError(`The connection to PostgreSQL was lost (${(cause as Error).message}). Try again.`, {
        cause,
      });
    } finally {
      clearTimeout(deadline);
    }
  }
}

function exactInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError("An integer in the database is beyond ±9007199254740991, which a number cannot hold exactly.");
}
