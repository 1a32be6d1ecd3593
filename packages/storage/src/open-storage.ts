import type { Kysely } from "kysely";
import { isPostgres, openDatabase } from "./database.ts";
import { type GroupOptions, groupCommit } from "./group-commit.ts";
import { sqliteFileOf } from "./prepared.ts";
import type { FileOptions } from "./sqlite/sqlite.file.ts";
import type { OnCommit, Storage, Writer } from "./storage.ts";
import { observeWriteFailures } from "./writability.ts";

/** The options of `openStorage`. All except `onCommit` apply to SQLite only. */
export interface StorageOptions<Tables>
  extends Pick<GroupOptions, "onCommit" | "largestGroup">, Pick<FileOptions, "synchronous" | "checkpoints"> {
  /** A table that is read often and seldom written. `snapshot` passes its version. */
  watchedTable?: (keyof Tables & string) | undefined;
}

/**
 * Opens an existing database. SQLite gets one connection for reads and one for writes, so that no read waits for a write or
 * for the lock of another process. Writes to SQLite are committed in groups, because one sync to disk takes as long for
 * many writes as for one. PostgreSQL groups commits itself.
 */
export function openStorage<Tables>(databaseUrl: string, options: StorageOptions<Tables> = {}): Storage<Tables> {
  const { onCommit, synchronous, checkpoints, largestGroup, watchedTable } = options;
  const writer = openDatabase<Tables>(databaseUrl, { mustExist: true, synchronous, checkpoints, watchedTable });
  const db = openDatabase<Tables>(databaseUrl, { mustExist: true, synchronous, checkpoints, isReadOnly: true });
  const [reader, writing] = [sqliteFileOf(db), sqliteFileOf(writer)];
  return {
    db,
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
      await db.destroy();
      await writer.destroy(); // closing the last connection moves the write-ahead log into the file
    },
  };
}

/** Runs each write in its own transaction. The PostgreSQL server groups commits and enforces the timeouts. */
function inTransactions<Tables>(db: Kysely<Tables>, onCommit: OnCommit = () => {}): Writer<Tables> {
  return {
    write: async (work, isSuccess = () => true) => {
      const rolledBack = new RolledBack();
      let result!: Awaited<ReturnType<typeof work>>;
      try {
        await db.transaction().execute(async (trx) => {
          result = await work(trx);
          if (!isSuccess(result)) throw rolledBack;
        });
        onCommit(1);
      } catch (error) {
        if (error !== rolledBack) throw error;
      }
      return result;
    },
    stopWaiting: () => {},
  };
}

/** Thrown to make Kysely roll a transaction back. */
class RolledBack extends Error {}
