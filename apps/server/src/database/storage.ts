import { sql } from "kysely";
import { type Database, isPostgres, openDatabase } from "./database.ts";
import { prepared } from "./prepared.ts";
import { PATIENCE_MS, SqliteFileAdapter } from "./sqlite.dialect.ts";
import { lockedError } from "./sqlite.errors.ts";

/** A piece of work on a transaction. It may run again with nothing kept of it, so it touches nothing else. */
export type Work<Result> = (trx: Database) => Promise<Result>;

/** The database of a running service: one way to read, one way to write. */
export interface Storage {
  /** For reading. It sees every write that was answered, and waits for none. */
  db: Database;
  /** Runs work in a transaction; resolves once that is on disk, and rejects, with nothing kept, when the work throws. */
  write: <Result>(work: Work<Result>) => Promise<Result>;
  /**
   * Has what `read` asks of `db` at once, without a promise, see the data as of now, and gives it their version: a number
   * that differs from before when anything was committed since, by this process or another; undefined where that cannot be
   * told, as on PostgreSQL, which promises nothing at once either. What was read under one version may be kept as long as
   * it stays.
   */
  snapshot: (read: (version: number | undefined) => void) => void;
  /** Throws `FileMovedError` when it is not what is at its path any more, so that no write can be made. */
  expectInPlace: () => void;
  /** Has writes that still wait for the lock of another process after so many milliseconds refused, and later ones not wait. */
  stopWaiting: (afterMs: number) => void;
  /** Opens a file now, not at the first request, so that nobody takes its place before. */
  open: () => Promise<void>;
  destroy: () => Promise<void>;
}

/** Told how many units of work a transaction has committed. */
type OnCommit = (size: number) => void;

/** At most this many units of work share a transaction, so that the event loop is never held for long. */
const LARGEST_GROUP = 256;

/** Enough for a lock that is free. */
const LAST_PATIENCE_MS = 200;

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
    ...(isPostgres(writer) ? inTransactions(writer, onCommit) : groupingCommits(writer, onCommit)),
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

type Writing = Pick<Storage, "write" | "stopWaiting">;

/** A transaction for each unit of work; the server commits concurrent ones together by itself, and ends those that wait. */
function inTransactions(db: Database, onCommit: OnCommit = () => {}): Writing {
  return {
    write: async (work) => {
      const result = await db.transaction().execute(work);
      onCommit(1);
      return result;
    },
    stopWaiting: () => {},
  };
}

interface Unit {
  work: Work<unknown>;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
  /** Refuses the unit when its work has not begun in time. */
  patience: NodeJS.Timeout;
  state: "waiting" | "begun" | "refused";
}

/**
 * What arrives in one turn of the event loop, or while a group is being committed, is committed together. A unit whose
 * work has not begun when its patience ends, counted from its own arrival, is refused and leaves nothing.
 */
export function groupingCommits(db: Database, onCommit: OnCommit = () => {}, patienceMs = PATIENCE_MS): Writing {
  const waiting: Unit[] = [];
  let group: Unit[] = [];
  let isBusy = false;
  let patienceNow = patienceMs;

  const commitWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      group = waiting.splice(0, LARGEST_GROUP);
      await commit(db, group, onCommit);
    }
    isBusy = false;
  };

  return {
    write: async (work) =>
      new Promise((resolve, reject) => {
        const patience = setTimeout(() => refuse(unit), patienceNow);
        const unit: Unit = { work, resolve, reject, patience, state: "waiting" };
        waiting.push(unit);
        if (isBusy) return;
        isBusy = true;
        setImmediate(() => void commitWaiting());
      }),
    stopWaiting: (afterMs) => {
      const stop = setTimeout(() => {
        patienceNow = LAST_PATIENCE_MS;
        for (const unit of [...group, ...waiting]) refuse(unit);
      }, afterMs);
      stop.unref();
    },
  };
}

function refuse(unit: Unit): void {
  if (unit.state !== "waiting") return;
  unit.state = "refused";
  unit.reject(lockedError());
}

const savepoint = prepared(() => sql`savepoint unit`);
const rollback = prepared(() => sql`rollback to unit`);
const release = prepared(() => sql`release unit`);

/** One transaction for all, a savepoint for each; nobody is answered before the commit, and one that throws fails alone. */
async function commit(db: Database, group: Unit[], onCommit: OnCommit): Promise<void> {
  const answers: (() => void)[] = [];
  try {
    await db.transaction().execute(async (trx) => {
      for (const { work, resolve, reject } of group.filter(hasBegun)) {
        await savepoint(trx, {});
        try {
          const result = await work(trx);
          answers.push(() => resolve(result as never));
        } catch (error) {
          await rollback(trx, {});
          answers.push(() => reject(error));
        }
        await release(trx, {});
      }
    });
  } catch (error) {
    for (const { reject, patience } of group) {
      clearTimeout(patience);
      reject(error);
    }
    return;
  }
  onCommit(answers.length);
  for (const answer of answers) answer();
}

/** From here on the unit has the lock and is not refused any more. */
function hasBegun(unit: Unit): boolean {
  clearTimeout(unit.patience);
  if (unit.state === "refused") return false;
  unit.state = "begun";
  return true;
}
