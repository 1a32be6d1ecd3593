import pg from "pg";
import { DatabaseError } from "../database-error.ts";

/** How many connections one pool opens at most. */
const POOL_SIZE = 10;
/** How long a query waits for a connection, be it a new one or one that another query has. */
const CONNECT_MS = 2_000;
/** How long a statement waits for a row that another transaction has locked. */
const LOCK_MS = 2_000;
/** When the server ends a statement, unless the URL says otherwise, or a transaction whose client says nothing more. */
const STATEMENT_MS = 4_000;
/** How much later we end the connection, having heard nothing from the server. */
const GRACE_MS = 1_000;

/** Connections to the server at a `postgres://` URL. It is a module of its own since only PostgreSQL needs it loaded. */
export function openPool(url: string): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, exactInteger);
  const pool = new pg.Pool({
    Client,
    connectionString: url,
    application_name: "petstore",
    types,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    lock_timeout: LOCK_MS,
    statement_timeout: Number(URL.parse(url)?.searchParams.get("statement_timeout") ?? STATEMENT_MS),
    idle_in_transaction_session_timeout: STATEMENT_MS,
  });
  // A connection lost while nobody waits for an answer is dropped or fails its next query; unheard, it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Its own `query_timeout` would leave the pool with a connection that still waits for the answer. */
class Client extends pg.Client {
  readonly #deadlineMs: number | undefined;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    this.#deadlineMs = config.statement_timeout ? config.statement_timeout + GRACE_MS : undefined;
  }

  // What is wrong with an address, such as its port, is thrown at once, where the pool expects to be called back.
  override connect(callback?: any): any {
    try {
      return super.connect(callback);
    } catch (error) {
      callback(error);
    }
  }

  // A server that has fallen silent never confirms the end, and its connection would keep the process from ending. Of the
  // overloads of pg, which `any` stands for, the pool calls the one with a callback.
  override end(callback?: any): any {
    setTimeout(() => this.connection.stream.destroy(), GRACE_MS).unref();
    return super.end(callback);
  }

  // Of the overloads of pg, which `any` stands for, Kysely calls the one with a text and its values.
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
