import pg from "pg";
import { DatabaseError, isStatementTimeout } from "../database-error.ts";
import { type Limits, setLocally } from "./limits.ts";
import { SERVER } from "./standing.ts";
import { statementName } from "./statement-names.ts";
import type { Target, Targets } from "./targets.ts";

/** How long a query waits for a connection. The hosts of a URL share this time. */
export const CONNECT_MS = 2_000;
/** How long after `statement_timeout` the client closes the connection if the server has not responded. */
const GRACE_MS = 1_000;
/** The weight of the last query in the average time of one. */
const WEIGHT = 0.1;
/** The error code of a write on a standby, or on a server that is set to read-only. */
const READ_ONLY = "25006";
/** The error codes of a named statement that the server does not know, as after `discard all`, or knows from another client. */
const STATEMENT_LOST = new Set(["26000", "42P05"]);
/** The function of the server that rejects a named statement whose result has other types since a migration. */
const RESULT_CHANGED = "RevalidateCachedQuery";

/** The statements that begin a transaction. */
const TRANSACTION = /^(begin|start transaction)\b/;

/** Whether a named statement did not run. The next one of its connection has no name. */
export function isStatementLost(error: unknown): boolean {
  const { code, routine } = ((error as Error).cause ?? {}) as Partial<pg.DatabaseError>;
  return error instanceof DatabaseError && (STATEMENT_LOST.has(code!) || routine === RESULT_CHANGED);
}

/** Fields that the types of pg's query lack. */
interface Query extends pg.Query {
  name: string | undefined;
  callback: (error: Error | null, result: pg.QueryResult) => void;
}

/** The settings of a pool and its clients. */
export interface Config extends Omit<pg.PoolConfig, "Client" | "onConnect"> {
  Client: typeof Client;
  onConnect: (client: Client) => Promise<void>;
  targets: Targets;
  limits: Limits;
  clients: Set<Client>;
  replica: Replica | undefined;
}

/** What the connections to a replica need to know. */
export interface Replica {
  /** Returns when the server was started whose position is known. Another server has another start. */
  server: () => string | undefined;
  /** Called if no connection can be opened. */
  failed: (error: Error) => void;
  /** Returns the pool of the primary, which runs what the replica fails. */
  primary: () => { execute: (text: string, values: unknown[]) => Promise<pg.QueryResult>; connect: () => Promise<any> };
}

/**
 * Sends queries without waiting for the responses of earlier ones (pipelining), those of one callback of the event loop
 * together, and names those that are prepared. Its deadline replaces pg's `query_timeout`, which would return a connection to
 * the pool that is still busy.
 */
export class Client extends pg.Client {
  /** Whether the server has rejected a write because it is a standby or set to read-only. */
  isReadOnly = false;
  readonly #targets: Targets;
  readonly #target: Target;
  readonly #clients: Set<Client>;
  readonly #replica: Replica | undefined;
  /** When the server of this connection was started. */
  #server: string | undefined;
  readonly #deadlineMs: number | undefined;
  readonly #setLimits: string;
  /** Whether the connection ends at a pooler. Its servers may differ between transactions, with their settings and statements. */
  #isPooled = true;
  /** When each query without a response was sent. */
  readonly #sentAt: number[] = [];
  /** When the server has last responded. */
  #heardAt = -Infinity;
  /** The average time that the server takes for a query, in milliseconds. Begins as a guess. */
  #averageMs = 1;
  #isWatched = false;
  #isCorked = false;

  constructor(config: Config) {
    const { targets, limits } = config;
    const target = targets.current;
    super({
      ...(config as pg.ClientConfig),
      ...(target.acceptsSettings && limits),
      connectionString: target.url,
      connectionTimeoutMillis: config.connectionTimeoutMillis! / targets.length,
      pipeline: true,
    });
    this.#targets = targets;
    this.#target = target;
    this.#clients = config.clients;
    this.#replica = config.replica;
    this.#deadlineMs = limits.statement_timeout ? limits.statement_timeout + GRACE_MS : undefined;
    this.#setLimits = setLocally(limits);
  }

  /** The number of queries without a response. */
  get inFlight(): number {
    return this.#sentAt.length;
  }

  /** How long a query sent now would wait for those before it, in milliseconds; at least as long as the first has waited. */
  get waitMs(): number {
    if (this.inFlight === 0) return 0;
    const waited = performance.now() - Math.max(this.#sentAt[0]!, this.#heardAt);
    return Math.max(waited, this.inFlight * this.#averageMs);
  }

  // An invalid address, such as a wrong port, makes pg throw, but the pool expects the error in its callback.
  override connect(callback?: any): any {
    const done = (error?: Error): void => {
      if (error) this.#targets.replace(this.#target, error);
      else this.#register();
      callback(error);
    };
    try {
      return super.connect(done);
    } catch (error) {
      done(error as Error);
    }
  }

  #register(): void {
    this.#heardAt = performance.now();
    this.#clients.add(this);
    this.once("end", () => this.#clients.delete(this));
  }

  /**
   * Asks the server about itself, to tell it from a pooler, whose process id is another one. Rejects if the server has to
   * accept writes and accepts none, or is not the examined replica, and makes the next connection go to another host.
   */
  async examine(): Promise<void> {
    try {
      const { rows } = await this.#send(
        "select pg_backend_pid() as pid, current_setting('transaction_read_only') as read_only, " + SERVER,
      );
      const { pid, read_only, server } = rows[0] as { pid: number; read_only: string; server: string };
      if (this.#targets.mustBeWritable && read_only === "on")
        throw new Error(`${this.host}:${this.port} accepts no writes`);
      if (this.#replica !== undefined && this.#replica.server() !== server)
        throw new Error(`${this.host}:${this.port} is not the server that was examined`);
      this.#server = server;
      const { processID } = this as unknown as { processID: number | null }; // the types lack it
      this.#isPooled = !this.#target.acceptsSettings || pid !== processID;
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
  override query(text: any, values: any = []): Promise<any> {
    const given = [text, values] as [string, unknown[]];
    return this.#replica === undefined ? this.#send(...given) : this.#sendToReplica(this.#replica, ...given);
  }

  /** Sends a query. What fails, but for a timeout or in a transaction, goes to the primary. */
  async #sendToReplica(replica: Replica, text: string, values: unknown[]): Promise<pg.QueryResult> {
    try {
      if (replica.server() !== this.#server) {
        this.cut();
        throw new DatabaseError("The connection leads to a different server than the replica that was examined.");
      }
      return await this.#send(text, values);
    } catch (error) {
      if (isStatementTimeout(error) || this.#isInTransaction || TRANSACTION.test(text)) throw error;
      return replica.primary().execute(text, values);
    }
  }

  get #isInTransaction(): boolean {
    const { getTransactionStatus } = this as unknown as { getTransactionStatus: () => string | null }; // the types lack it
    return /[TE]/.test(getTransactionStatus.call(this) ?? "");
  }

  async #send(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    this.#cork();
    this.#sentAt.push(performance.now());
    this.#watch();
    try {
      const query = this.#queryOf(text, values);
      const result = await new Promise<pg.QueryResult>((done, failed) => {
        query.callback = (error, answer) => (error ? failed(error) : done(answer));
        super.query(query);
      });
      this.#hear();
      return result;
    } catch (cause) {
      throw this.#errorOf(cause as Error);
    } finally {
      this.#sentAt.shift(); // responses come in the order of the queries
    }
  }

  #hear(): void {
    const now = performance.now();
    const ms = now - Math.max(this.#sentAt[0]!, this.#heardAt);
    this.#averageMs += WEIGHT * (ms - this.#averageMs);
    this.#heardAt = now;
  }

  /** Returns an instance of pg's query, because pg copies each configuration in a slow way. */
  #queryOf(text: string, values: unknown[]): Query {
    const isBegin = this.#isPooled && TRANSACTION.test(text);
    const query = new pg.Query(isBegin ? `${text}; ${this.#setLimits}` : text, values) as Query;
    query.name = this.#isPooled ? undefined : statementName(text);
    return query;
  }

  #errorOf(cause: Error): Error {
    Error.captureStackTrace(cause); // leads to the caller, not to the socket
    if (cause instanceof pg.DatabaseError) {
      this.#hear();
      if (cause.code === READ_ONLY) this.isReadOnly = true;
      const lost = new DatabaseError("PostgreSQL has forgotten a prepared statement. Try again.", { cause });
      if (!isStatementLost(lost)) return cause;
      this.#isPooled = true; // sends the statements of this connection without names from now on
      return lost;
    }
    if (cause instanceof RangeError || cause instanceof TypeError) return cause;
    return new DatabaseError(`The connection to PostgreSQL was lost (${cause.message}). Try again.`, { cause });
  }

  /** Sends the queries of this callback of the event loop, and of the promises that it resolves, with one system call. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = this.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  /** Checks the deadline of the oldest query until there is none. One timer serves all queries. */
  #watch(): void {
    if (this.#isWatched || this.#deadlineMs === undefined) return;
    this.#isWatched = true;
    const check = (): void => {
      this.#isWatched = false;
      if (this.inFlight === 0) return;
      const [now, sentAt] = [performance.now(), this.#sentAt[0]!];
      if (now - sentAt < this.#deadlineMs!) this.#watch();
      else if (now - this.#heardAt > this.#deadlineMs! - GRACE_MS / 2)
        this.#abandonServer(Math.max(sentAt, this.#heardAt)); // each query ends within `statement_timeout` after the one before
      else this.cut(); // the server responds, but the queries before this one were slow
    };
    setTimeout(check, this.#sentAt[0]! + this.#deadlineMs - performance.now()).unref();
  }

  /** Cuts every connection that has been silent since, because the server may never close them, and leaves this host. */
  #abandonServer(since: number): void {
    this.#targets.replace(this.#target, new Error("no response"));
    for (const client of this.#clients) if (client.#heardAt <= since) client.cut();
  }

  /** Ends the connection at once. Its queries fail. */
  cut(): void {
    this.emit("error", new Error("no response")); // makes the pool drop the connection at once if it is idle
    this.connection.stream.destroy();
  }
}
