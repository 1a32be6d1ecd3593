import type { Kysely } from "kysely";

/** A piece of work on a transaction. It may run again with nothing kept of it, so it touches nothing else. */
export type Work<Tables, Result> = (trx: Kysely<Tables>) => Promise<Result>;

/** The database of a running service: one way to read, one way to write. */
export interface Storage<Tables> {
  /** For reading. It sees every write that was answered, and waits for none. SQLite refuses writes here. */
  db: Kysely<Tables>;
  /**
   * Runs work in a transaction. Resolves with its result once that is on disk, or, where `isSuccess` is given and says no of the
   * result, once everything is rolled back. Rejects, with everything rolled back, when the work throws.
   */
  write: <Result>(work: Work<Tables, Result>, isSuccess?: (result: Result) => boolean) => Promise<Result>;
  /**
   * Has what `read` asks of `db` at once, without a promise, see the data as of now, and gives it their version: a number
   * that differs from before when anything was committed since, by this process or another; undefined where that cannot be
   * told, as on PostgreSQL, which promises nothing at once either. What was read under one version may be kept as long as
   * it stays.
   */
  snapshot: (read: (version: number | undefined) => void) => void;
  /** Commits now what was asked of `write`, rather than when the event loop turns. */
  commitNow: () => void;
  /** Throws `FileMovedError` when it is not what is at its path any more, so that no write can be made. */
  expectInPlace: () => void;
  /**
   * Rejects with the reason while writes fail: from one that fails for the state of the database until a probe succeeds, which this
   * commits.
   */
  expectWritable: () => Promise<void>;
  /** Has writes that still wait for the lock of another process after so many milliseconds refused, and later ones not wait. */
  stopWaiting: (afterMs: number) => void;
  /** Opens a file now, not at the first request, so that nobody takes its place before. */
  open: () => Promise<void>;
  destroy: () => Promise<void>;
  /** Never set: the compiler compares the tables of storages here, as it does not where a Kysely is asked for another. */
  readonly tables?: Tables;
}

/** Told how many units of work a transaction has committed. */
export type OnCommit = (size: number) => void;

/** The part of a storage that writes. */
export type Writer<Tables> = Pick<Storage<Tables>, "write" | "commitNow" | "stopWaiting">;
