import type { Kysely } from "kysely";

/** The queries of one write. They may be rolled back and run again, so `Work` must have no effect outside the database. */
export type Work<Tables, Result> = (trx: Kysely<Tables>) => Promise<Result>;

/** The database of a running service, with separate access for reads and writes. */
export interface Storage<Tables> {
  /** The database for reads. Reads see every resolved write and wait for no write. SQLite rejects writes here. */
  db: Kysely<Tables>;
  /**
   * Runs `work` in a transaction and resolves with its result once the transaction is on disk. If `isSuccess` returns false
   * for the result, the transaction is rolled back first. If `work` throws, the transaction is rolled back and `write` rejects.
   * On PostgreSQL, `onToken` is called with the token of the write, by which replicas that have replayed it are found.
   */
  write: <Result>(
    work: Work<Tables, Result>,
    isSuccess?: (result: Result) => boolean,
    onToken?: OnToken,
  ) => Promise<Result>;
  /** The replicas that may be read in place of `db`; undefined if the service has none. */
  replicas?: Replicas<Tables> | undefined;
  /**
   * Runs `read` at the end of this turn of the event loop and passes the version of a snapshot. All reads of the turn share
   * the snapshot. It covers the queries of `db` that run synchronously in `read`, which must not throw. The version changes
   * whenever any process commits, so data may be cached until the version changes. The version is undefined if SQLite cannot
   * read it. On PostgreSQL `read` runs at once, without a snapshot and a version.
   *
   * `watchedVersion` is a version of the option `watchedTable`. It changes with each commit of another process, and with each
   * own write to the table, but not with own writes to other tables. It may change more often.
   */
  snapshot: (read: ReadSnapshot) => void;
  /** Throws `FileMovedError` if the open database file is no longer at its path, so that a write would be lost. */
  expectFileAtPath: () => void;
  /**
   * Rejects with the reason while the database cannot be written. Once the database has failed a write, each call tests
   * writing, at most once per second, until a test succeeds.
   */
  expectWritable: () => Promise<void>;
  /** Rejects the waiting writes after `afterMs` milliseconds. Later writes get a short timeout, so that a stop is quick. */
  stopWaiting: (afterMs: number) => void;
  /** Opens the file before the first request, so that the file cannot be replaced between start and first request. */
  open: () => Promise<void>;
  destroy: () => Promise<void>;
  /** Never set. The property makes the compiler compare the tables of two storages; `Kysely` alone does not. */
  readonly tables?: Tables;
}

/** Reads in a snapshot with these versions. */
export type ReadSnapshot = (version: number | undefined, watchedVersion: string | undefined) => void;

/** The replicas of a primary: PostgreSQL servers that replay its log. */
export interface Replicas<Tables> {
  /**
   * Returns the database of a replica that has replayed what was committed a second ago, and the write that returned the token.
   * Returns undefined if there is none: read from `db`. A query outside of transactions that the replica fails goes to `db` too.
   */
  find: (token?: string) => Kysely<Tables> | undefined;
  /** Whether a replica still has what was committed a second ago. */
  isFresh: (db: Kysely<Tables>) => boolean;
}

/** Called with the token of a write. Of two tokens, the greater string is that of the later write. */
export type OnToken = (token: string) => void;

/** Called after each commit with the number of writes in the transaction. */
export type OnCommit = (size: number) => void;

/** The methods of a storage that write. */
export type Writer<Tables> = Pick<Storage<Tables>, "write" | "stopWaiting">;
