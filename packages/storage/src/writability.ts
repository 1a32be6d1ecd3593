import { type Kysely, sql } from "kysely";
import { isDatabaseUnavailable, isLockTimeout } from "./database-error.ts";
import { isPostgres } from "./database.ts";
import type { Storage, Work, Writer } from "./storage.ts";

/** How long the outcome of a probe holds, in milliseconds, so that however many ask, it costs little. */
const PROBE_INTERVAL_MS = 1_000;

/**
 * Notes the writes that fail for the state of the database, and adds `expectWritable`: it costs nothing until one does; then a
 * probe is committed, one at a time and at most one in a second. Another write proves nothing, since on a full disk there may
 * be room for a small one.
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
      if (failure !== undefined && failure.at > begun) throw failure.error; // the probe was before it; the next will tell
      failure = undefined;
    },
  };
}

async function writeAll({ write }: Writer<any>, works: Work<any, unknown>[]): Promise<void> {
  for (const work of works) await write(work);
}

/**
 * Work that reaches the disk and in the end changes nothing. SQLite does not write pages that are freed in the transaction that
 * fills them, so that the largest body is written by one, and removed by another.
 */
function probesOf(db: Kysely<any>): Work<any, unknown>[] {
  if (isPostgres(db)) return [(trx) => sql`update kysely_migration_lock set is_locked = is_locked`.execute(trx)];
  const remove: Work<any, unknown> = (trx) => sql`drop table if exists petstore_probe`.execute(trx);
  const fill: Work<any, unknown> = (trx) =>
    sql`create table petstore_probe as select zeroblob(65536) as filler`.execute(trx);
  return [async (trx) => (await remove(trx), await fill(trx)), remove];
}
