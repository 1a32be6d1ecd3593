import type { Kysely } from "kysely";

/**
 * A unit of work in a transaction. It may be rolled back and run again, so it must have no effect outside the database.
 */
export type Work<Tables, Result> = (trx: Kysely<Tables>) => Promise<Result>;

/** The database of a running service. */
export interface Storage<Tables> {
  /** For reads. They see every write that has resolved and wait for none. SQLite rejects writes here. */
  db: Kysely<Tables>;
  /**
   * Runs `work` in a transaction and resolves with its result once the transaction is on disk. If `isSuccess` returns false
   * for the result, the transaction is rolled back before. If `work` throws, it is rolled back and this rejects.
   */
  write: <Result>(work: Work<Tables, Result>, isSuccess?: (result: Result) => boolean) => Promise<Result>;
  /**
   * Runs `read` in one snapshot and passes its version. The snapshot covers the queries of `db` that run synchronously.
   * The version is a number that changes whenever this process or another commits. Data read under one version may be
   * cached until the version changes. On PostgreSQL there is no snapshot, and the version is undefined.
   * The version is also undefined if SQLite cannot read it.
   */
  snapshot: (read: (version: number | undefined) => void) => void;
  /** Commits the pending writes now, rather than in the next turn of the event loop. */
  commitNow: () => void;
  /** Throws `FileMovedError` if the open database file is no longer at its path, so that a write would be lost. */
  expectInPlace: () => void;
  /**
   * Rejects with the reason while the database cannot be written. After a write has failed because of the database, this
   * commits probes until one succeeds.
   */
  expectWritable: () => Promise<void>;
  /** After so many milliseconds, rejects the writes that wait for a lock of another process; later writes hardly wait. */
  stopWaiting: (afterMs: number) => void;
  /** Opens the file now rather than for the first request, so that no other file takes its place before. */
  open: () => Promise<void>;
  destroy: () => Promise<void>;
  /** Never set. It makes the compiler compare the tables of two storages, which it does not do for `Kysely`. */
  readonly tables?: Tables;
}

/** Called after each commit with the number of units of work in the transaction. */
export type OnCommit = (size: number) => void;

/** The methods of a storage that write. */
export type Writer<Tables> = Pick<Storage<Tables>, "write" | "commitNow" | "stopWaiting">;
