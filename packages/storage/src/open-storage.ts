import type { Kysely } from "kysely";
import { isPostgres, openDatabase } from "./database.ts";
import { type GroupOptions, groupCommit } from "./turns.ts";
import { SqliteFileAdapter } from "./sqlite/sqlite.dialect.ts";
import type { FileOptions } from "./sqlite/sqlite.file.ts";
import type { OnCommit, Storage, Writer } from "./storage.ts";
import { observeWriteFailures } from "./writability.ts";

/** How a database is opened; all but `onCommit` is for SQLite. */
export type StorageOptions = Pick<GroupOptions, "onCommit" | "largestGroup"> & Pick<FileOptions, "synchronous">;

/**
 * The database opened once for reading and once for writing, so that no read waits behind a write or the lock of
 * another process. It has to be there: one made now would have no tables. SQLite commits writes in groups: syncing the
 * file costs the same for one as for many. PostgreSQL does so itself.
 */
export function openStorage<Tables>(databaseUrl: string, options: StorageOptions = {}): Storage<Tables> {
  const { onCommit, synchronous, largestGroup } = options;
  const writer = openDatabase<Tables>(databaseUrl, { mustExist: true, synchronous });
  const db = openDatabase<Tables>(databaseUrl, { mustExist: true, synchronous, isReadOnly: true });
  const { adapter: reader } = db.getExecutor();
  return {
    db,
    ...observeWriteFailures(
      isPostgres(writer) ? inTransactions(writer, onCommit) : groupCommit(writer, { onCommit, largestGroup }),
      writer,
    ),
    snapshot:
      reader instanceof SqliteFileAdapter
        ? reader.snapshot.bind(reader) // that `db` only reads is what makes its count complete
        : (read) => read(undefined),
    expectInPlace: () => {
      for (const adapter of [reader, writer.getExecutor().adapter])
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

/** A transaction for each unit of work; the server commits concurrent ones together by itself, and ends those that wait. */
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
    commitNow: () => {},
    stopWaiting: () => {},
  };
}

/** Has Kysely roll a transaction back. */
class RolledBack extends Error {}
