import { SERVICE } from "@openapi-operations/command-line/name";
import pg from "pg";
import { DatabaseError } from "../database-error.ts";
import { hostUrlsOf } from "../url.ts";
import type { Limits } from "./postgres.dialect.ts";

/** The maximum number of connections in a pool. */
const POOL_SIZE = 10;
/** How long a query waits for a connection. The hosts of a URL share this time. */
const CONNECT_MS = 2_000;
/** How long after `statement_timeout` the client closes the connection if the server has not responded. */
const GRACE_MS = 1_000;
/** The error code of a write on a standby, or on a server that is set to read-only. */
const READ_ONLY = "25006";

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

/** The settings of a pool and its clients. */
interface Config extends Omit<pg.PoolConfig, "Client" | "onConnect"> {
  Client: typeof Client;
  onConnect?: (client: Client) => Promise<void>;
  targets: Targets;
  limits: Limits;
  clients: Set<Client>;
}

/**
 * Opens a connection pool to the server at a `postgres://` URL. If the URL has several hosts, connections go to the one that
 * accepts writes. This module is separate so that SQLite does not load `pg`.
 */
export function openPool(url: string, limits: Limits): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, exactInteger);
  const targets = new Targets(url);
  const config: Config = {
    Client,
    targets,
    limits,
    clients: new Set(),
    application_name: SERVICE.name,
    types,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(targets.mustBeWritable && { onConnect: (client: Client) => client.expectWritable() }),
  };
  const pool = new Pool(config);
  pools.add(pool);
  // Without listeners, the error of a lost idle connection would end the process. The pool drops such a connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  // The pool drops a connection that ends here. Its server was demoted; the next connection finds the new primary.
  pool.on("release", (_error, client) => void ((client as pg.ClientBase as Client).isReadOnly && client.end()));
  return pool;
}

/** Tries each host once before it fails. */
class Pool extends pg.Pool {
  readonly #targets: Targets;

  constructor(config: Config) {
    // The types of the pool lack the settings that it passes to its clients, and the promise of `onConnect`.
    super(config as unknown as pg.PoolConfig);
    this.#targets = config.targets;
  }

  // `any` replaces the overloads of pg. Kysely calls the overload that returns a promise.
  override async connect(): Promise<any> {
    const tried = new Set<Target>();
    const reasons: string[] = [];
    for (;;) {
      tried.add(this.#targets.current);
      try {
        return await super.connect();
      } catch (cause) {
        const { message, code } = cause as NodeJS.ErrnoException;
        reasons.push(message || code || "");
        if (tried.has(this.#targets.current)) throw new Error(reasons.join("; "), { cause });
      }
    }
  }
}

/** Adds a deadline to queries, because pg's `query_timeout` would return a connection to the pool that is still busy. */
class Client extends pg.Client {
  /** Whether the server has rejected a write because it is a standby or set to read-only. */
  isReadOnly = false;
  readonly #targets: Targets;
  readonly #target: Target;
  readonly #clients: Set<Client>;
  readonly #deadlineMs: number | undefined;
  /** When the server has last responded. */
  #heardAt = -Infinity;

  constructor(config: Config) {
    const { targets, limits } = config;
    const target = targets.current;
    super({
      ...(config as pg.ClientConfig),
      ...(target.acceptsSettings && limits),
      connectionString: target.url,
      connectionTimeoutMillis: CONNECT_MS / targets.length,
    });
    this.#targets = targets;
    this.#target = target;
    this.#clients = config.clients;
    this.#deadlineMs = limits.statement_timeout ? limits.statement_timeout + GRACE_MS : undefined;
  }

  // An invalid address, such as a wrong port, makes pg throw, but the pool expects the error in its callback.
  override connect(callback?: any): any {
    const done = (error?: Error): void => {
      if (error) this.#targets.replace(this.#target, error);
      else this.#begin();
      callback(error);
    };
    try {
      return super.connect(done);
    } catch (error) {
      done(error as Error);
    }
  }

  #begin(): void {
    this.#heardAt = performance.now();
    this.#clients.add(this);
    this.once("end", () => this.#clients.delete(this));
  }

  /** Rejects if the server accepts no writes, and makes the next connection go to another host. */
  async expectWritable(): Promise<void> {
    try {
      const { rows } = await this.query("show transaction_read_only");
      if (rows[0].transaction_read_only === "on") throw new Error(`${this.host}:${this.port} accepts no writes`);
    } catch (error) {
      this.#targets.replace(this.#target, error as Error);
      throw error;
    }
  }

  // Destroys the socket, because a server that does not respond never closes it, and an open socket keeps the process alive.
  // `any` replaces the overloads of pg. The pool calls the overload with a callback.
  override end(callback?: any): any {
    setTimeout(() => this.connection.stream.destroy(), GRACE_MS).unref();
    return super.end(callback);
  }

  // `any` replaces the overloads of pg. Kysely calls the overload with a string and values.
  override async query(text: any, values?: any): Promise<any> {
    const sentAt = performance.now();
    const deadline = this.#deadlineMs && setTimeout(() => this.#abandonServer(sentAt), this.#deadlineMs);
    try {
      const result = await super.query(text, values);
      this.#heardAt = performance.now();
      return result;
    } catch (cause) {
      if (cause instanceof pg.DatabaseError) this.#heardAt = performance.now();
      if (cause instanceof pg.DatabaseError && cause.code === READ_ONLY) this.isReadOnly = true;
      if (cause instanceof pg.DatabaseError || cause instanceof RangeError || cause instanceof TypeError) throw cause;
      throw new DatabaseError(`The connection to PostgreSQL was lost (${(cause as Error).message}). Try again.`, {
        cause,
      });
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Cuts every connection that has been silent since, because the server may never close them, and leaves this host. */
  #abandonServer(since: number): void {
    this.#targets.replace(this.#target, new Error("no response"));
    for (const client of this.#clients) if (client.#heardAt <= since) client.#cut();
  }

  #cut(): void {
    this.emit("error", new Error("no response")); // makes the pool drop the connection at once if it is idle
    this.connection.stream.destroy();
  }
}

function exactInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError("An integer in the database is beyond ±9007199254740991, which a number cannot hold exactly.");
}

/** One host to connect to. */
interface Target {
  readonly url: string;
  /** Whether the host accepts settings at the start of a connection. PgBouncer rejects them. */
  readonly acceptsSettings: boolean;
}

/** The error code of a pooler that does not accept a setting at the start of a connection. */
const PROTOCOL_VIOLATION = "08P01";

/** The hosts of a URL. Connections go to `current`. After an error, `replace` chooses the next one, so that each is tried in turn. */
class Targets {
  /** Whether a host may be used only if it accepts writes, as `target_session_attrs=read-write` requires. */
  readonly mustBeWritable: boolean;
  readonly #targets: Target[];
  #index = 0;

  constructor(url: string) {
    this.#targets = hostUrlsOf(url).map((one) => ({ url: one, acceptsSettings: true }));
    this.mustBeWritable = this.length > 1 || URL.parse(url)?.searchParams.has("target_session_attrs") === true;
  }

  get length(): number {
    return this.#targets.length;
  }

  get current(): Target {
    return this.#targets[this.#index]!;
  }

  /** Replaces the current target after an error, unless another connection has replaced it. */
  replace(target: Target, error: Error): void {
    if (target !== this.current) return;
    if (target.acceptsSettings && (error as pg.DatabaseError).code === PROTOCOL_VIOLATION) {
      this.#targets[this.#index] = { ...target, acceptsSettings: false };
    } else {
      this.#index = (this.#index + 1) % this.length;
    }
  }
}
