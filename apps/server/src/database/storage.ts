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
  /** Has what was asked of `write` committed now, when no more is to come for a while; it is else when the event loop turns. */
  commitNow: () => void;
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

/** How often it is looked whose patience has ended. */
const PATIENCE_STEP_MS = 50;

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

type Writing = Pick<Storage, "write" | "commitNow" | "stopWaiting">;

/** A transaction for each unit of work; the server commits concurrent ones together by itself, and ends those that wait. */
function inTransactions(db: Database, onCommit: OnCommit = () => {}): Writing {
  return {
    write: async (work) => {
      const result = await db.transaction().execute(work);
      onCommit(1);
      return result;
    },
    commitNow: () => {},
    stopWaiting: () => {},
  };
}

interface Unit {
  work: Work<unknown>;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
  /** When it is refused unless its work has begun, as `performance.now()` tells. */
  deadline: number;
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

  const refuseWhere = (isDue: (unit: Unit) => boolean): void => {
    for (const unit of [...group, ...waiting]) if (isDue(unit)) refuse(unit);
  };

  const commitWaiting = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    const watch = setInterval(() => refuseWhere(({ deadline }) => deadline <= performance.now()), PATIENCE_STEP_MS);
    while (waiting.length > 0) {
      group = waiting.splice(0, LARGEST_GROUP);
      await commit(db, group, onCommit);
    }
    clearInterval(watch);
    isBusy = false;
  };

  return {
    write: async (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject, deadline: performance.now() + patienceNow, state: "waiting" });
        if (waiting.length === 1) setImmediate(() => void commitWaiting());
      }),
    commitNow: () => void commitWaiting(),
    stopWaiting: (afterMs) => {
      const stop = setTimeout(() => {
        patienceNow = LAST_PATIENCE_MS;
        refuseWhere(() => true);
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

const savepoint = prepared(() => sql`savepoint undone`);
const rollback = prepared(() => sql`rollback to undone`);
const release = prepared(() => sql`release undone`);

/** Tells a unit what became of it. */
type Answer = () => void;

/**
 * One transaction for all; nobody is answered before the commit, and a unit that throws fails alone: for that all of them
 * run again with a savepoint for each, which costs too much where none throws.
 */
async function commit(db: Database, group: Unit[], onCommit: OnCommit): Promise<void> {
  let answers: Answer[];
  try {
    answers = await db.transaction().execute(async (trx) => {
      const begun = group.filter(hasBegun);
      await savepoint(trx, {});
      try {
        return await runTogether(trx, begun);
      } catch (error) {
        await undo(trx, error);
        return await runEachAlone(trx, begun);
      }
    });
  } catch (error) {
    for (const { reject } of group) reject(error);
    return;
  }
  onCommit(answers.length);
  for (const answer of answers) answer();
}

/** From here on the unit has the lock and is not refused any more. */
function hasBegun(unit: Unit): boolean {
  if (unit.state === "refused") return false;
  unit.state = "begun";
  return true;
}

async function runTogether(trx: Database, units: Unit[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { work, resolve } of units) {
    const result = await work(trx);
    answers.push(() => resolve(result as never));
  }
  return answers;
}

async function runEachAlone(trx: Database, units: Unit[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { work, resolve, reject } of units) {
    await savepoint(trx, {});
    try {
      const result = await work(trx);
      answers.push(() => resolve(result as never));
    } catch (error) {
      await undo(trx, error);
      answers.push(() => reject(error));
    }
    await release(trx, {});
  }
  return answers;
}

/** Throws what went wrong where that has ended the whole transaction, as a full disk may: https://sqlite.org/lang_transaction.html */
async function undo(trx: Database, wrong: unknown): Promise<void> {
  try {
    await rollback(trx, {});
  } catch {
    throw wrong;
  }
}
