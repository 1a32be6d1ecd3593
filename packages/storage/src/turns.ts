import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { prepared } from "./prepared.ts";
import { LOCK_TIMEOUT_MS } from "./sqlite/sqlite.dialect.ts";
import { lockedError } from "./sqlite/sqlite.errors.ts";
import type { OnCommit, Storage, Work, Writer } from "./storage.ts";

/** How writes share transactions. */
export interface GroupOptions {
  onCommit?: OnCommit | undefined;
  /** How long a write waits for its turn, in milliseconds. Default: `PATIENCE_MS`. */
  timeoutMs?: number;
  /** How many writes share a transaction at most, so that the event loop is never held for long. Default: 256. */
  largestGroup?: number | undefined;
}

/** How often units are looked at for one whose patience has ended. */
const TIMEOUT_CHECK_MS = 50;

/** Enough for a lock that is free. */
const STOPPING_TIMEOUT_MS = 200;

interface Unit {
  work: Work<any, unknown>;
  isSuccess: (result: never) => boolean;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
  /** When it is refused unless its work has begun, as `performance.now()` tells. */
  deadline: number;
  state: "waiting" | "begun" | "refused";
}

/**
 * What arrives in one turn of the event loop, or while a group is being committed, is committed together. A unit whose
 * group has not begun when its patience ends, counted from its own arrival, is refused and leaves nothing.
 */
export function groupCommit<Tables>(
  db: Kysely<Tables>,
  { onCommit = () => {}, timeoutMs = LOCK_TIMEOUT_MS, largestGroup = 256 }: GroupOptions = {},
): Writer<Tables> {
  const waiting: Unit[] = [];
  let group: Unit[] = [];
  let isBusy = false;
  let currentTimeoutMs = timeoutMs;

  const refuseWhere = (isDue: (unit: Unit) => boolean): void => {
    for (const unit of [...group, ...waiting]) if (isDue(unit)) refuse(unit);
  };

  const commitWaiting = async (): Promise<void> => {
    if (isBusy || waiting.length === 0) return;
    isBusy = true;
    const watch = setInterval(() => refuseWhere(({ deadline }) => deadline <= performance.now()), TIMEOUT_CHECK_MS);
    while (waiting.length > 0) {
      group = waiting.splice(0, largestGroup);
      await commit(db, group, onCommit);
      if (waiting.length > 0) await nextTurn();
    }
    clearInterval(watch);
    isBusy = false;
  };

  const write: Storage<Tables>["write"] = (work, isSuccess = () => true) =>
    new Promise((resolve, reject) => {
      const deadline = performance.now() + currentTimeoutMs - TIMEOUT_CHECK_MS; // the last time that it is looked at in time
      waiting.push({ work, isSuccess, resolve, reject, deadline, state: "waiting" });
      if (waiting.length === 1) setImmediate(() => void commitWaiting());
    });

  return {
    write,
    commitNow: () => void commitWaiting(),
    stopWaiting: (afterMs) => {
      const stop = setTimeout(() => {
        currentTimeoutMs = STOPPING_TIMEOUT_MS;
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

const savepoint = prepared<any, unknown>(() => sql`savepoint before`);
const rollback = prepared<any, unknown>(() => sql`rollback to before`);

/** What became of a unit, and what tells it. */
interface UnitResult {
  isCommitted: boolean;
  settle: () => void;
}

/** Ends the attempt to run a group without savepoints. */
class NotSuccessful extends Error {}

/**
 * One transaction for all; nobody is answered before the commit, and a unit that throws, or has no success, fails alone: for that
 * all of them run again with a savepoint for each, which costs too much where none fails.
 */
async function commit(db: Kysely<any>, group: Unit[], onCommit: OnCommit): Promise<void> {
  let results: UnitResult[];
  try {
    results = await db.transaction().execute(async (trx) => {
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
  const committed = results.filter(({ isCommitted }) => isCommitted).length;
  if (committed > 0) onCommit(committed);
  for (const { settle } of results) settle();
}

/** From here on the unit has the lock and is not refused any more. */
function hasBegun(unit: Unit): boolean {
  if (unit.state === "refused") return false;
  unit.state = "begun";
  return true;
}

async function runTogether(trx: Kysely<any>, units: Unit[]): Promise<UnitResult[]> {
  const results: UnitResult[] = [];
  for (const { work, isSuccess, resolve } of units) {
    const result = await work(trx);
    if (!isSuccess(result as never)) throw new NotSuccessful();
    results.push({ isCommitted: true, settle: () => resolve(result as never) });
  }
  return results;
}

async function runEachAlone(trx: Kysely<any>, units: Unit[]): Promise<UnitResult[]> {
  const results: UnitResult[] = [];
  for (const { work, isSuccess, resolve, reject } of units) {
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

/** Throws what went wrong where that has ended the whole transaction, as a full disk may: https://sqlite.org/lang_transaction.html */
async function undo(trx: Kysely<any>, wrong: unknown): Promise<void> {
  try {
    await rollback(trx, {});
  } catch {
    throw wrong;
  }
}

/** Goes on with what has arrived, which may not throw, and gives it the version of the data that it sees. */
export type Continuation = (version: number | undefined) => void;

/**
 * Lets what arrives in one turn of the event loop go on together, from one snapshot of the data. It is taken when the last of
 * it has arrived: any earlier, and those after it would see what is no longer so. What they write at once is committed
 * together before the event loop turns.
 */
export function snapshotPerTurn(storage: Pick<Storage<any>, "snapshot" | "commitNow">): (goOn: Continuation) => void {
  let arrived: Continuation[] = [];
  const begin = (): void => {
    const turn = arrived;
    arrived = [];
    storage.snapshot((version) => {
      for (const goOn of turn) goOn(version);
    });
    queueMicrotask(() => process.nextTick(storage.commitNow)); // when all of them wait for something else
  };
  return (goOn) => {
    arrived.push(goOn);
    if (arrived.length === 1) setImmediate(begin);
  };
}
