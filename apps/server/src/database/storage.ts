import { type Database, isPostgres, openDatabase } from "./database.ts";
import { groupingCommits } from "./grouping-commits.ts";
import { SqliteFileAdapter } from "./sqlite.dialect.ts";
import { notingFailures } from "./writability.ts";

/** A piece of work on a transaction. It may run again with nothing kept of it, so it touches nothing else. */
export type Work<Result> = (trx: Database) => Promise<Result>;

/** Work on several items, which gives the results in their order; like `Work` in all else. */
export type WorkOnEach<Item, Result> = (trx: Database, items: Item[]) => Promise<Result[]>;

/** The database of a running service: one way to read, one way to write. */
export interface Storage {
  /** For reading. It sees every write that was answered, and waits for none. */
  db: Database;
  /** Runs work in a transaction; resolves once that is on disk, and rejects, with nothing kept, when the work throws. */
  write: <Result>(work: Work<Result>) => Promise<Result>;
  /**
   * Like `write`, for one item: those given with the same function go to it in one call where they share a transaction,
   * with the first of them, ahead of what came in between.
   */
  writeEach: <Item, Result>(work: WorkOnEach<Item, Result>, item: Item) => Promise<Result>;
  /**
   * Has what `read` asks of `db` at once, without a promise, see the data as of now, and gives it their version: a number
   * that differs from before when anything was committed since, by this process or another; undefined where that cannot be
   * told, as on PostgreSQL, which promises nothing at once either. What was read under one version may be kept as long as
   * it stays.
   */
  snapshot: (read: (version: number | undefined) => void) => void;
  /** Commits now what was asked of `write` and `writeEach`, rather than when the event loop turns. */
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
}

/** Told how many units of work a transaction has committed. */
export type OnCommit = (size: number) => void;

/**
 * The database opened once for reading and once for writing, so that no read waits behind a write or the lock of
 * another process. It has to be there: one made now would have no tables. SQLite commits writes in groups: syncing the
 * file costs the same for one as for many. PostgreSQL does so itself.
 */
export function openStorage(databaseUrl: string, onCommit?: OnCommit): Storage {
  const writer = openDatabase(databaseUrl, { mustExist: true });
  const db = openDatabase(databaseUrl, { mustExist: true });
  return {
    db,
    ...notingFailures(
      isPostgres(writer) ? inTransactions(writer, onCommit) : groupingCommits(writer, onCommit),
      writer,
    ),
    snapshot: (read) => {
      const { adapter } = db.getExecutor(); // that `db` only reads is what makes its count complete
      if (adapter instanceof SqliteFileAdapter) adapter.snapshot(read);
      else read(undefined);
    },
    expectInPlace: () => {
      for (const { adapter } of [db.getExecutor(), writer.getExecutor()])
        if (adapter instanceof SqliteFileAdapter) adapter.expectInPlace();
    },
    open: async () => {
      if (isPostgres(db)) return;
      for (const kysely of [db, writer]) await kysely.connection().execute(async () => {});
    },
    destroy: async () => {
      await db.destroy();
      await writer.destroy(); // the last to close folds the write-ahead log into the file
    },
  };
}

/** The part of a storage that writes. */
export type Writing = Pick<Storage, "write" | "writeEach" | "commitNow" | "stopWaiting">;

/** A transaction for each unit of work; the server commits concurrent ones together by itself, and ends those that wait. */
function inTransactions(db: Database, onCommit: OnCommit = () => {}): Writing {
  const write: Storage["write"] = async (work) => {
    const result = await db.transaction().execute(work);
    onCommit(1);
    return result;
  };
  return {
    write,
    writeEach: (work, item) => write(async (trx) => (await work(trx, [item]))[0]!),
    commitNow: () => {},
    stopWaiting: () => {},
  };
}
