import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { lockedError } from "./database-error.ts";
import { prepared } from "./prepared.ts";
import { LOCK_TIMEOUT_MS } from "./sqlite/sqlite.dialect.ts";
import type { OnCommit, Storage, Work, Writer } from "./storage.ts";

/** How writes are grouped into transactions. */
export interface GroupOptions {
  onCommit?: OnCommit | undefined;
  /** How long a write may wait before its work begins, in milliseconds. Default: `LOCK_TIMEOUT_MS`. */
  timeoutMs?: number;
  /** The maximum number of writes in one transaction. It limits how long a commit blocks the event loop. Default: 256. */
  largestGroup?: number | undefined;
}

/** How often waiting writes are checked for timeouts. */
const TIMEOUT_CHECK_MS = 50;

/** The timeout of writes while the service stops. It suffices to take a free lock. */
const STOPPING_TIMEOUT_MS = 200;

/** A call of `write` that is not settled. */
interface PendingWrite {
  work: Work<any, unknown>;
  isSuccess: (result: never) => boolean;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
  /** The time by `performance.now()` at which the write is rejected unless its work has begun. */
  deadline: number;
  state: "waiting" | "begun" | "rejected";
}

/**
 * Commits writes in groups. A group contains the writes that start before the event loop waits for I/O or a timer, or the
 * writes that arrived during the previous commit. A write whose group has not begun within the timeout is rejected and changes nothing.
 */
export function groupCommit<Tables>(
  db: Kysely<Tables>,
  { onCommit = () => {}, timeoutMs = LOCK_TIMEOUT_MS, largestGroup = 256 }: GroupOptions = {},
): Writer<Tables> {
  const waiting: PendingWrite[] = [];
  let group: PendingWrite[] = [];
  let isBusy = false;
  let watch: NodeJS.Timeout | undefined;
  let currentTimeoutMs = timeoutMs;

  const rejectWhere = (isDue: (write: PendingWrite) => boolean): void => {
    for (const pending of [...group, ...waiting]) {
      if (pending.state !== "waiting" || !isDue(pending)) continue;
      pending.state = "rejected";
      pending.reject(lockedError());
    }
  };

  /** Ends the checks once nothing waits. Under load they go on, because starting them for each group is slow. */
  const checkTimeouts = (): void => {
    rejectWhere(({ deadline }) => deadline <= performance.now());
    if (isBusy) return;
    clearInterval(watch);
    watch = undefined;
  };

  const commitWaiting = async (): Promise<void> => {
    if (isBusy || waiting.length === 0) return;
    isBusy = true;
    watch ??= setInterval(checkTimeouts, TIMEOUT_CHECK_MS).unref();
    while (waiting.length > 0) {
      group = waiting.splice(0, largestGroup);
      await commit(db, group, onCommit);
      if (waiting.length > 0) await nextTurn();
    }
    isBusy = false;
  };

  const write: Storage<Tables>["write"] = (work, isSuccess = () => true) =>
    new Promise((resolve, reject) => {
      const deadline = performance.now() + currentTimeoutMs - TIMEOUT_CHECK_MS; // one check early, because a check may be late
      waiting.push({ work, isSuccess, resolve, reject, deadline, state: "waiting" });
      if (waiting.length === 1) queueMicrotask(() => process.nextTick(commitWaiting)); // after the promises that are settled now
    });

  return {
    write,
    stopWaiting: (afterMs) => {
      const stop = setTimeout(() => {
        currentTimeoutMs = STOPPING_TIMEOUT_MS;
        rejectWhere(() => true);
      }, afterMs);
      stop.unref();
    },
  };
}

const savepoint = prepared<any, unknown>(() => sql`savepoint before`);
const rollback = prepared<any, unknown>(() => sql`rollback to before`);

/** The result of a write, and the function that settles its promise. */
interface WriteResult {
  isCommitted: boolean;
  settle: () => void;
}

/** Thrown to roll back a group that cannot be committed as a whole. */
class NotSuccessful extends Error {}

/**
 * Runs a group in one transaction and settles its promises after the commit. A write whose work throws, or whose `isSuccess`
 * returns false, is rolled back alone: the group is rolled back and runs again with a savepoint for each write. The first
 * run has no savepoints, because they make every statement slower.
 */
async function commit(db: Kysely<any>, group: PendingWrite[], onCommit: OnCommit): Promise<void> {
  let results: WriteResult[];
  try {
    const together = db.transaction().execute((trx) => runTogether(trx, group.filter(begin)));
    results = await together.catch((error: unknown) => {
      if (!(error instanceof NotSuccessful)) throw error;
      for (const write of group) if (write.state === "begun") write.state = "waiting"; // the lock may be taken meanwhile
      return db.transaction().execute((trx) => runEachAlone(trx, group.filter(begin)));
    });
  } catch (error) {
    for (const { reject } of group) reject(error);
    return;
  }
  const committed = results.filter(({ isCommitted }) => isCommitted).length;
  if (committed > 0) onCommit(committed);
  for (const { settle } of results) settle();
}

/** Marks a write as begun and returns true, unless it was rejected. A write that has begun cannot be rejected. */
function begin(write: PendingWrite): boolean {
  if (write.state === "rejected") return false;
  write.state = "begun";
  return true;
}

async function runTogether(trx: Kysely<any>, writes: PendingWrite[]): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  for (const { work, isSuccess, resolve } of writes) {
    const result = await succeed(work, trx);
    if (!isSuccess(result as never)) throw new NotSuccessful();
    results.push({ isCommitted: true, settle: () => resolve(result as never) });
  }
  return results;
}

async function succeed(work: Work<any, unknown>, trx: Kysely<any>): Promise<unknown> {
  try {
    return await work(trx);
  } catch (cause) {
    throw new NotSuccessful("The work of a write failed.", { cause });
  }
}

async function runEachAlone(trx: Kysely<any>, writes: PendingWrite[]): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  for (const { work, isSuccess, resolve, reject } of writes) {
    await savepoint(trx, {});
    try {
      const result = await work(trx);
      const isCommitted = isSuccess(result as never);
      if (!isCommitted) await rollback(trx, {});
      results.push({ isCommitted, settle: () => resolve(result as never) });
    } catch (error) {
      await undo(trx, error);
      results.push({ isCommitted: false, settle: () => reject(error) });
    }
  }
  return results;
}

/**
 * Rolls back to the savepoint. Rethrows the error if SQLite has ended the whole transaction, as on a full disk:
 * https://sqlite.org/lang_transaction.html
 */
async function undo(trx: Kysely<any>, error: unknown): Promise<void> {
  try {
    await rollback(trx, {});
  } catch {
    throw error;
  }
}
