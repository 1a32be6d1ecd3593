import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { prepared } from "../prepared.ts";
import { PATIENCE_MS } from "./sqlite.dialect.ts";
import { lockedError } from "./sqlite.errors.ts";
import type { OnCommit, Storage, WorkOnEach, Writing } from "../storage.ts";

/** At most this many units of work share a transaction, so that the event loop is never held for long. */
const LARGEST_GROUP = 256;

/** How often units are looked at for one whose patience has ended. */
const PATIENCE_STEP_MS = 50;

/** Enough for a lock that is free. */
const LAST_PATIENCE_MS = 200;

interface Unit {
  work: WorkOnEach<any, unknown, unknown>;
  item: unknown;
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
export function groupingCommits<Tables>(
  db: Kysely<Tables>,
  onCommit: OnCommit = () => {},
  patienceMs = PATIENCE_MS,
): Writing<Tables> {
  const waiting: Unit[] = [];
  let group: Unit[] = [];
  let isBusy = false;
  let patienceNow = patienceMs;

  const refuseWhere = (isDue: (unit: Unit) => boolean): void => {
    for (const unit of [...group, ...waiting]) if (isDue(unit)) refuse(unit);
  };

  const commitWaiting = async (): Promise<void> => {
    if (isBusy || waiting.length === 0) return;
    isBusy = true;
    const watch = setInterval(() => refuseWhere(({ deadline }) => deadline <= performance.now()), PATIENCE_STEP_MS);
    while (waiting.length > 0) {
      group = waiting.splice(0, LARGEST_GROUP);
      await commit(db, group, onCommit);
      if (waiting.length > 0) await nextTurn();
    }
    clearInterval(watch);
    isBusy = false;
  };

  const writeEach: Storage<Tables>["writeEach"] = (work, item) =>
    new Promise((resolve, reject) => {
      const deadline = performance.now() + patienceNow - PATIENCE_STEP_MS; // the last time that it is looked at in time
      waiting.push({ work: work as Unit["work"], item, resolve, reject, deadline, state: "waiting" });
      if (waiting.length === 1) setImmediate(() => void commitWaiting());
    });

  return {
    write: (work) => writeEach(async (trx) => [await work(trx)], undefined),
    writeEach,
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

const savepoint = prepared<any, unknown>(() => sql`savepoint before`);
const rollback = prepared<any, unknown>(() => sql`rollback to before`);
const release = prepared<any, unknown>(() => sql`release before`);

/** Tells a unit what became of it. */
type Answer = () => void;

/**
 * One transaction for all; nobody is answered before the commit, and a unit that throws fails alone: for that all of them
 * run again with a savepoint for each, which costs too much where none throws.
 */
async function commit(db: Kysely<any>, group: Unit[], onCommit: OnCommit): Promise<void> {
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

async function runTogether(trx: Kysely<any>, units: Unit[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [work, together] of byWork(units)) {
    const results = await work(
      trx,
      together.map(({ item }) => item),
    );
    for (const [at, { resolve }] of together.entries()) answers.push(() => resolve(results[at] as never));
  }
  return answers;
}

function byWork(units: Unit[]): Map<Unit["work"], Unit[]> {
  const groups = new Map<Unit["work"], Unit[]>();
  for (const unit of units) {
    const group = groups.get(unit.work);
    if (group === undefined) groups.set(unit.work, [unit]);
    else group.push(unit);
  }
  return groups;
}

async function runEachAlone(trx: Kysely<any>, units: Unit[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { work, item, resolve, reject } of units) {
    await savepoint(trx, {});
    try {
      const [result] = await work(trx, [item]);
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
async function undo(trx: Kysely<any>, wrong: unknown): Promise<void> {
  try {
    await rollback(trx, {});
  } catch {
    throw wrong;
  }
}
