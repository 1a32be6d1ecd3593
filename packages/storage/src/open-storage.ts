import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import { isDatabaseUnavailable, isLockTimeout } from "./database-error.ts";
import { isPostgres, openDatabase } from "./database.ts";
import type { PostgresPoolAdapter } from "./postgres/postgres.dialect.ts";
import { openReplicas } from "./postgres/replicas.ts";
import { groupCommit, type GroupOptions } from "./group-commit.ts";
import { sqliteFileOf } from "./prepared.ts";
import type { FileOptions } from "./sqlite/sqlite.file.ts";
import type { OnCommit, Storage, Work, Writer } from "./storage.ts";

/** The options of `openStorage`. All except `onCommit` and `replicas` apply to SQLite only. */
export interface StorageOptions<Tables>
  extends Pick<GroupOptions, "onCommit" | "largestGroup">, Pick<FileOptions, "synchronous" | "checkpoints"> {
  /** A table that is read often and seldom written. `snapshot` passes its version. */
  watchedTable?: (keyof Tables & string) | undefined;
  /** The URL of replicas of the PostgreSQL database, one at each host, and the log of whether they are read from. */
  replicas?: { url: string; logger: Logger } | undefined;
}

/**
 * Opens an existing database. SQLite gets one connection for reads and one for writes, so that no read waits for a write or
 * for the lock of another process. Writes to SQLite are committed in groups, because one sync to disk takes as long for
 * many writes as for one. PostgreSQL groups commits itself.
 */
export function openStorage<Tables>(databaseUrl: string, options: StorageOptions<Tables> = {}): Storage<Tables> {
  const { onCommit, synchronous, checkpoints, largestGroup, watchedTable, replicas: given } = options;
  const writer = openDatabase<Tables>(databaseUrl, { mustExist: true, synchronous, checkpoints, watchedTable });
  const db = openDatabase<Tables>(databaseUrl, { mustExist: true, synchronous, checkpoints, isReadOnly: true });
  const [reader, writing] = [sqliteFileOf(db), sqliteFileOf(writer)];
  const replicas = given && openReplicas<Tables>(given.url, db, given.logger);
  return {
    db,
    replicas,
    ...observeWriteFailures(
      isPostgres(writer) ? inTransactions(writer, onCommit) : groupCommit(writer, { onCommit, largestGroup }),
      writer,
    ),
    snapshot:
      reader && writing
        ? reader.snapshotAfterTurn.bind(reader, writing) // `db` only reads, so the version changes on every commit
        : (read) => read(undefined, undefined),
    expectFileAtPath: () => {
      for (const file of [reader, writing]) file?.expectFileAtPath();
    },
    open: async () => {
      if (isPostgres(db)) return;
      for (const kysely of [db, writer]) await kysely.connection().execute(async () => {});
    },
    destroy: async () => {
      await replicas?.destroy();
      await db.destroy();
      await writer.destroy(); // closing the last connection moves the write-ahead log into the file
    },
  };
}

/** Runs each write in its own transaction. The PostgreSQL server groups commits and enforces the timeouts. */
function inTransactions<Tables>(db: Kysely<Tables>, onCommit: OnCommit = () => {}): Writer<Tables> {
  const adapter = db.getExecutor().adapter as PostgresPoolAdapter;
  return {
    write: async (work, isSuccess = () => true, onToken) => {
      let result!: Awaited<ReturnType<typeof work>>;
      try {
        await db.transaction().execute(async (trx) => {
          result = await adapter.pipelined(trx, () => work(trx), onToken);
          if (!isSuccess(result)) throw new RolledBack();
        });
        onCommit(1);
      } catch (error) {
        if (!(error instanceof RolledBack)) throw error;
      }
      return result;
    },
    stopWaiting: () => {},
  };
}

/** Thrown to make Kysely roll a transaction back. */
class RolledBack extends Error {}

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
    write: (...write) => writing.write(...write).catch(recordFailure),
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
