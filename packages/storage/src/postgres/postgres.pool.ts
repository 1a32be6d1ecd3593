import { SERVICE } from "@openapi-operations/command-line/name";
import pg from "pg";
import { DatabaseError } from "../database-error.ts";
import type { Limits } from "./limits.ts";
import { Client, type Config, CONNECT_MS, isStatementLost, type Replica } from "./postgres.client.ts";
import { type Target, Targets } from "./targets.ts";

/** The maximum number of connections in a pool. */
const POOL_SIZE = 10;
/** How many of these statements may share, so that transactions find one. */
const MAX_SHARED = 8;
/** A statement that would wait longer for others on a shared connection gets another one, in milliseconds. */
const MAX_WAIT_MS = 1;

const pools = new Set<Pool>();

/**
 * Returns the connections of all pools of this process: in use, the most there can be, and the queries that wait for one, or
 * behind others on theirs for longer than they would in a pool with a free one.
 */
export function connectionCounts(): { used: number; limit: number; waiting: number } {
  const counts = { used: 0, limit: 0, waiting: 0 };
  for (const pool of pools) {
    if (pool.ended) pools.delete(pool);
    counts.used += pool.totalCount - pool.idleCount;
    counts.limit += pool.ended ? 0 : pool.options.max;
    counts.waiting += pool.waitingCount + pool.waitingBehindOthers;
  }
  return counts;
}

/** What differs between pools. */
export interface PoolOptions extends Pick<pg.PoolConfig, "max"> {
  /** How long a query waits for a connection. Default: `CONNECT_MS`. */
  connectMs?: number;
  /** Makes it the pool of a replica. */
  replica?: Replica;
}

/**
 * Opens a connection pool to the server at a `postgres://` URL. If the URL has several hosts, connections go to the one that
 * accepts writes. This module is separate so that SQLite does not load `pg`.
 */
export function openPool(
  url: string,
  limits: Limits,
  { replica, max = POOL_SIZE, connectMs = CONNECT_MS }: PoolOptions = {},
): Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, exactInteger);
  const pool = new Pool({
    Client,
    targets: new Targets(url),
    limits,
    replica,
    clients: new Set(),
    application_name: SERVICE.name,
    types,
    max,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    onConnect: (client) => client.examine(),
  });
  pools.add(pool);
  // Without listeners, the error of a lost idle connection would end the process. The pool drops such a connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  // The pool drops a connection that ends here. Its server was demoted; the next connection finds the new primary.
  pool.on("release", (_error, client) => void ((client as pg.ClientBase as Client).isReadOnly && client.end()));
  return pool;
}

type Shared = Client & pg.PoolClient;

/** Tries each host once before it fails, and lets statements outside of transactions share connections. */
export class Pool extends pg.Pool {
  readonly #targets: Targets;
  readonly #replica: Replica | undefined;
  readonly #clients: Set<Client>;
  /** The shared connections, each until no statement waits there. */
  readonly #shared = new Set<Shared>();
  readonly #opening = new Set<Promise<Shared>>();

  constructor(config: Config) {
    // The types of the pool lack the settings that it passes to its clients, and the promise of `onConnect`.
    super(config as unknown as pg.PoolConfig);
    this.#targets = config.targets;
    this.#replica = config.replica;
    this.#clients = config.clients;
  }

  // `any` replaces the overloads of pg. Kysely calls the overload that returns a promise.
  override async connect(): Promise<any> {
    return this.#open().catch((error: unknown) => {
      if (this.#replica === undefined) throw error;
      return this.#replica.primary().connect() as Promise<unknown>;
    });
  }

  /** Ends all connections at once, so that their queries fail. */
  cut(): void {
    for (const client of this.#clients) client.cut();
  }

  async #open(): Promise<any> {
    const tried = new Set<Target>();
    const reasons: string[] = [];
    for (;;) {
      tried.add(this.#targets.current);
      try {
        return await super.connect();
      } catch (cause) {
        const { message, code } = cause as NodeJS.ErrnoException;
        reasons.push(message || code || "");
        if (!tried.has(this.#targets.current)) continue;
        const error = unusable(reasons, cause);
        this.#replica?.failed(error);
        throw error;
      }
    }
  }

  /**
   * Runs a statement outside of transactions and resolves with its result. It shares a connection with others where the
   * wait for them is short.
   */
  async execute(text: string, values: unknown[]): Promise<pg.QueryResult> {
    let connection = this.#free();
    try {
      while (connection === undefined) connection = (await this.#another()) ?? this.#free();
    } catch (error) {
      if (this.#replica === undefined) throw error;
      return this.#replica.primary().execute(text, values);
    }
    const run = async () => (await connection.query(text, values)) as pg.QueryResult;
    try {
      return await run();
    } catch (error) {
      if (isStatementLost(error)) return await run();
      throw error;
    } finally {
      if (connection.inFlight === 0 && this.#shared.delete(connection)) connection.release();
    }
  }

  get waitingBehindOthers(): number {
    const slow = Array.from(this.#shared).filter(({ waitMs }) => waitMs >= MAX_WAIT_MS);
    return slow.reduce((sum, { inFlight }) => sum + Math.max(0, inFlight - 1), 0);
  }

  /** Returns the shared connection with the shortest wait, unless it is too long and there may be another one. */
  #free(): Shared | undefined {
    let free: Shared | undefined;
    let waitMs = this.#canOpen || this.#opening.size > 0 ? MAX_WAIT_MS : CONNECT_MS;
    for (const connection of this.#shared) {
      const ms = connection.waitMs;
      if (ms < waitMs) [free, waitMs] = [connection, ms];
    }
    return free;
  }

  get #canOpen(): boolean {
    const isAvailable = this.idleCount > 0 || this.totalCount < this.options.max;
    return isAvailable && this.#shared.size + this.#opening.size < MAX_SHARED;
  }

  /** Resolves with another connection of the pool, or once one has been taken for another statement. */
  async #another(): Promise<Shared | undefined> {
    if (!this.#canOpen && this.#opening.size > 0) {
      const failure = await Promise.race(this.#opening).catch((error: unknown) => error as Error);
      if (failure instanceof Error && this.#shared.size === 0) throw failure;
      return undefined;
    }
    const opening = this.#open() as Promise<Shared>;
    this.#opening.add(opening);
    try {
      const connection = await opening;
      this.#shared.add(connection);
      return connection;
    } finally {
      this.#opening.delete(opening);
    }
  }
}

function unusable(reasons: string[], cause: unknown): DatabaseError {
  const remedy = "Check that its server runs and lets this user in, or set DATABASE_URL to another database.";
  return new DatabaseError(`The PostgreSQL database cannot be used (${reasons.join("; ")}). ${remedy}`, { cause });
}

function exactInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError("An integer in the database is beyond ±9007199254740991, which a number cannot hold exactly.");
}
