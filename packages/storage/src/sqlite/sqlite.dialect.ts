import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type Sqlite from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { FileMovedError, isBusy, lockedError, addFilePath, openError } from "./sqlite.errors.ts";
import type { ReadSnapshot } from "../storage.ts";
import { type FileOptions, openFile, type OpenFile } from "./sqlite.file.ts";

/** How long a statement is retried while the database is locked. The retries do not block the event loop. */
export const LOCK_TIMEOUT_MS = 5_000;
const MAX_CACHED_STATEMENTS = 256;

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

/** Kysely's adapter, which also runs queries on the open file synchronously. */
export class SqliteFileAdapter extends SqliteAdapter {
  readonly path: string;
  #file:
    | {
        file: Sqlite.Database;
        inTransaction: boolean;
        statements: SqliteDatabase;
        isAtPath: () => boolean;
        changes: OpenFile["changes"];
        begin: Sqlite.Statement<[]>;
        version: Sqlite.Statement<[], number>;
        end: Sqlite.Statement<[]>;
      }
    | undefined;
  /** The reads of this turn of the event loop. */
  #reads: ReadSnapshot[] = [];

  constructor(path: string) {
    super();
    this.path = path;
  }

  /** True, because transactions take the write lock at their start here. Kysely's own do not, so its adapter returns false. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Called once the file is open. */
  opened({ file, isAtPath, changes }: OpenFile, statements: SqliteDatabase): void {
    this.#file = {
      file,
      inTransaction: false,
      statements,
      isAtPath,
      changes,
      begin: file.prepare("begin"),
      version: file.prepare<[], number>("pragma data_version").pluck(),
      end: file.prepare("commit"),
    };
  }

  /** Throws if the file was moved, removed or replaced since it was opened. */
  expectFileAtPath(): void {
    if (this.#file?.isAtPath() === false) throw new FileMovedError(this.path);
  }

  /**
   * Runs `read` at the end of this turn of the event loop, in one snapshot with all reads of the turn. The snapshot begins
   * after the last of these calls, so that no read gets data older than its call. The version of the table that `writer` watches
   * is read before, so that cached data is never older than its version.
   */
  snapshotAfterTurn(writer: SqliteFileAdapter, read: ReadSnapshot): void {
    this.#reads.push(read);
    if (this.#reads.length > 1) return;
    setImmediate(() => {
      const reads = this.#reads;
      this.#reads = [];
      const watchedVersion = writer.watchedVersion();
      this.snapshot((version) => {
        for (const next of reads) next(version, watchedVersion);
      });
    });
  }

  /**
   * Runs `read` in one snapshot and passes its version. The synchronous queries of `read` share one lock, which is faster.
   *
   * The version changes when another connection commits, in this process or another. Commits of this connection do not
   * change the version: https://sqlite.org/pragma.html#pragma_data_version. The version is undefined before the file is
   * open, in a transaction, and if SQLite cannot read the version.
   */
  snapshot(read: (version: number | undefined) => void): void {
    if (this.#file === undefined || this.#file.inTransaction) {
      read(undefined);
      return;
    }
    const { file, begin, version, end } = this.#file;
    let number: number | undefined;
    try {
      begin.run();
      number = version.get();
    } catch {
      // The queries of `read` will report the error.
    }
    try {
      read(number);
    } finally {
      try {
        if (file.inTransaction) end.run();
      } catch {
        if (file.inTransaction) file.exec("rollback"); // the commit fails after a query has read a damaged page and thrown
      }
    }
  }

  /**
   * Returns the version of the watched table: the commits of other connections and the changes by this one. The version is
   * undefined in a transaction, because others do not see its changes yet.
   */
  watchedVersion(): string | undefined {
    if (this.#file?.changes === undefined || this.#file.inTransaction) return undefined;
    try {
      return `${this.#file.version.get()} ${this.#file.changes.count}`;
    } catch {
      return undefined;
    }
  }

  /** Whether this connection is in a transaction. Stored here, because asking SQLite before each query is slow. */
  set inTransaction(isUnderWay: boolean) {
    if (this.#file !== undefined) this.#file.inTransaction = isUnderWay;
  }

  /**
   * Runs a statement synchronously and returns its rows. Returns undefined if the statement has to wait: for the file to
   * open, for another transaction on this connection, or for a lock. Then the caller runs the statement through Kysely.
   */
  executeSync(sql: string, parameters: unknown[], isInTransaction: boolean): unknown[] | undefined {
    if (this.#file === undefined || this.#file.inTransaction !== isInTransaction) return undefined;
    try {
      const statement = this.#file.statements.prepare(sql);
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw addFilePath(this.path, error);
    }
  }
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
        const statements = withStatementCache(onOpen.file);
        adapter.opened(onOpen, statements);
        return statements;
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

/** Caches prepared statements, because preparing takes longer than running most queries. */
function withStatementCache(file: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, Sqlite.Statement>();
  return {
    close: () => void file.close(),
    prepare: (sql) => {
      const cached = statements.get(sql);
      if (cached !== undefined) return cached;
      if (statements.size >= MAX_CACHED_STATEMENTS) statements.clear();
      const statement = file.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
  };
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
