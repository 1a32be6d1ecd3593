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
import { type FileOptions, openFile, type OpenFile } from "./sqlite.file.ts";

/** How long a statement is tried again, asynchronously, before it fails. */
export const LOCK_TIMEOUT_MS = 5_000;
const MAX_CACHED_STATEMENTS = 256;

/**
 * SQLite in one file: what is committed is on disk, a transaction holds the write lock from its start, and a lock of
 * another process is waited for without blocking the event loop. The file is made where there is none, unless it has to
 * exist.
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

/** What a database says of itself, and a way to its file past Kysely's promises. */
export class SqliteFileAdapter extends SqliteAdapter {
  readonly path: string;
  #file:
    | {
        file: Sqlite.Database;
        inTransaction: boolean;
        statements: SqliteDatabase;
        isInPlace: () => boolean;
        begin: Sqlite.Statement<[]>;
        version: Sqlite.Statement<[], number>;
        end: Sqlite.Statement<[]>;
      }
    | undefined;

  constructor(path: string) {
    super();
    this.path = path;
  }

  /** SQLite's DDL is transactional; Kysely's own adapter says otherwise, as its transactions do not take the write lock. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The file is open, with these statements. */
  opened({ file, isInPlace }: OpenFile, statements: SqliteDatabase): void {
    this.#file = {
      file,
      inTransaction: false,
      statements,
      isInPlace,
      begin: file.prepare("begin"),
      version: file.prepare<[], number>("pragma data_version").pluck(),
      end: file.prepare("commit"),
    };
  }

  /** Throws when somebody has moved, removed or replaced the file since it was opened. */
  expectInPlace(): void {
    if (this.#file?.isInPlace() === false) throw new FileMovedError(this.path);
  }

  /**
   * Has what `read` asks at once see the file as it is now, all of it for the price of one lock, and gives it a number that
   * differs from before when another connection, of whatever process, has committed since; undefined while that cannot be
   * told. Commits of this connection do not count: https://sqlite.org/pragma.html#pragma_data_version
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
      // What is wrong is for the queries that follow to say.
    }
    try {
      read(number);
    } finally {
      try {
        if (file.inTransaction) end.run();
      } catch {
        if (file.inTransaction) file.exec("rollback"); // after a read of a damaged page, which has failed by itself
      }
    }
  }

  /** Whether a transaction is under way on this connection, kept so that SQLite need not be asked before each query. */
  set inTransaction(isUnderWay: boolean) {
    if (this.#file !== undefined) this.#file.inTransaction = isUnderWay;
  }

  /**
   * The rows that a statement gives, run now; undefined when it has to be run by Kysely, which waits: for the file to be opened,
   * for somebody else's transaction on this connection, or for a lock.
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

  /** What is written to a file that is not at its path any more is lost with the last process that has it open. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    this.#adapter.expectInPlace();
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
    this.#adapter.inTransaction = true;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#adapter.inTransaction = false;
  }

  /** A full disk may have rolled the transaction back already: https://sqlite.org/lang_transaction.html */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      if (this.#file?.inTransaction) await super.rollbackTransaction(connection);
    } finally {
      this.#adapter.inTransaction = false;
    }
  }
}

/** Preparing costs more than most of our queries, and there are few different ones. */
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

/** Only a statement outside a transaction, or the one that begins it, can find the database busy: it has done nothing yet. */
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
