import { type Kysely, sql } from "kysely";
import { isDatabaseUnavailable, isLockTimeout } from "./database-error.ts";
import { isPostgres } from "./database.ts";
import type { Storage, Work, Writer } from "./storage.ts";

/** How long the result of a probe is reused, so that frequent checks are cheap. */
const PROBE_INTERVAL_MS = 1_000;

/**
 * Records writes that fail because of the database, and adds `expectWritable`. After a failure, `expectWritable` commits
 * test writes (probes), one at a time and at most one per second. Only a successful probe ends the failure, because a full
 * disk may have room for other, smaller writes.
 */
export function observeWriteFailures<Tables>(
  writing: Writer<Tables>,
  db: Kysely<Tables>,
): Writer<Tables> & Pick<Storage<Tables>, "expectWritable"> {
  let failure: { error: unknown; at: number } | undefined;
  let probe = { begun: -Infinity, isOver: true, done: Promise.resolve() };

  const recordFailure = (error: unknown): never => {
    if (isDatabaseUnavailable(error) && !isLockTimeout(error)) failure = { error, at: performance.now() };
    throw error;
  };
  const startProbe = (): void => {
    const begun = { begun: performance.now(), isOver: false, done: writeAll(writing, probesOf(db)) };
    begun.done = begun.done.finally(() => (begun.isOver = true));
    probe = begun;
  };
  return {
    ...writing,
    write: (work, isSuccess) => writing.write(work, isSuccess).catch(recordFailure),
    expectWritable: async () => {
      if (failure === undefined) return;
      if (probe.isOver && performance.now() - probe.begun >= PROBE_INTERVAL_MS) startProbe();
      const { begun, done } = probe;
      await done;
      if (failure !== undefined && failure.at > begun) throw failure.error; // a write failed after the probe began
      failure = undefined;
    },
  };
}

async function writeAll({ write }: Writer<any>, works: Work<any, unknown>[]): Promise<void> {
  for (const work of works) await write(work);
}

/**
 * Returns transactions that write to disk and together leave the data unchanged. On SQLite, the first adds a table as large
 * as the largest request body and the second removes it. One transaction is not enough, because SQLite does not write pages
 * that the same transaction frees.
 */
function probesOf(db: Kysely<any>): Work<any, unknown>[] {
  if (isPostgres(db)) return [(trx) => sql`update kysely_migration_lock set is_locked = is_locked`.execute(trx)];
  const remove: Work<any, unknown> = (trx) => sql`drop table if exists platform_probe`.execute(trx);
  const fill: Work<any, unknown> = (trx) =>
    sql`create table platform_probe as select zeroblob(65536) as filler`.execute(trx);
  return [async (trx) => (await remove(trx), await fill(trx)), remove];
}
