import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type Sqlite from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { SqliteFileAdapter } from "../prepared.ts";
import { addFilePath, isBusy, lockedError, openError } from "../database-error.ts";
import { type FileOptions, openFile } from "./sqlite.file.ts";

/** How long a statement is retried while the database is locked. The retries do not block the event loop. */
export const LOCK_TIMEOUT_MS = 5_000;

/**
 * Returns Kysely's dialect for a SQLite file. A commit is on disk once it resolves, unless `synchronous` is `normal`. A
 * transaction holds the write lock from its start. A statement waits for locks of other processes without blocking the
 * event loop. A missing file is created unless `mustExist` is set.
 */
export function sqliteDialect(path: string, options: FileOptions = {}): Dialect {
  const adapter = new SqliteFileAdapter(resolve(path));
  return {
    createAdapter: () => adapter,
    createDriver: () => new Driver(adapter, options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class Driver extends SqliteDriver {
  #file: Sqlite.Database | undefined;
  #connection: DatabaseConnection | undefined;
  readonly #adapter: SqliteFileAdapter;

  constructor(adapter: SqliteFileAdapter, options: FileOptions) {
    super({
      database: async () => {
        const onOpen = await retryWhileBusy(
          () => openFile(adapter.path, options),
          (error) => openError(adapter.path, error),
        );
        this.#file = onOpen.file;
        return adapter.opened(onOpen);
      },
    });
    this.#adapter = adapter;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= withBusyRetries(await super.acquireConnection(), this.#adapter.path);
    return this.#connection;
  }

  /** Throws if the file is no longer at its path, because writes would be lost when the last process closes the file. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    this.#adapter.expectFileAtPath();
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
    this.#adapter.inTransaction = true;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#adapter.inTransaction = false;
  }

  /** Rolls back unless SQLite has already rolled back, as on a full disk: https://sqlite.org/lang_transaction.html */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      if (this.#file?.inTransaction) await super.rollbackTransaction(connection);
    } finally {
      this.#adapter.inTransaction = false;
    }
  }
}

/**
 * Retries statements while the database is busy. A retry repeats no work: only a statement that begins a transaction or
 * runs outside one can fail because the database is busy.
 */
function withBusyRetries(connection: DatabaseConnection, path: string): DatabaseConnection {
  return {
    executeQuery: (query) =>
      retryWhileBusy(
        () => connection.executeQuery(query),
        (error) => addFilePath(path, error),
      ),
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

async function retryWhileBusy<Result>(
  attempt: () => Result | Promise<Result>,
  explain: (error: unknown) => unknown,
): Promise<Result> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw explain(error);
      if (performance.now() > deadline) throw lockedError({ cause: error });
      await setTimeout(25 + Math.random() * 50);
    }
  }
}
