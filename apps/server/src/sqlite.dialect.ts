import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";
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
import { DatabaseError } from "./database.errors.ts";

/** How long one statement may wait for another connection's lock; the event loop stands still meanwhile. */
const BUSY_TIMEOUT_MS = 50;
/** How long a statement is tried again, asynchronously, before it fails. */
const PATIENCE_MS = 5_000;
const STATEMENTS_KEPT = 256;

/** Set on every open, since SQLite keeps only the journal mode in the file: https://sqlite.org/pragma.html */
const SETTINGS = { journal_mode: "wal", synchronous: 2, foreign_keys: 1, busy_timeout: BUSY_TIMEOUT_MS };

/**
 * SQLite in one file: what is committed is on disk, a transaction holds the write lock from its start, and a lock of
 * another process is waited for without blocking the event loop.
 */
export function sqliteDialect(path: string): Dialect {
  const adapter = new SqliteFileAdapter();
  return {
    createAdapter: () => adapter,
    createDriver: () => new Driver(resolve(path), adapter),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** What a database says of itself, and a way to its file past Kysely's promises. */
export class SqliteFileAdapter extends SqliteAdapter {
  #file: { inTransaction: boolean; statements: SqliteDatabase; version: Sqlite.Statement<[], number> } | undefined;

  /** SQLite's DDL is transactional; Kysely's own adapter says otherwise, as its transactions do not take the write lock. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The file is open, with these statements. */
  opened(file: Sqlite.Database, statements: SqliteDatabase): void {
    this.#file = {
      statements,
      version: file.prepare<[], number>("pragma data_version").pluck(),
      get inTransaction() {
        return file.open && file.inTransaction;
      },
    };
  }

  /**
   * A number that differs from before when another connection, of whatever process, has committed since; undefined while
   * that cannot be told. Commits of this connection do not count: https://sqlite.org/pragma.html#pragma_data_version
   */
  dataVersion(): number | undefined {
    if (this.#file === undefined || this.#file.inTransaction) return undefined;
    try {
      return this.#file.version.get();
    } catch {
      return undefined; // what is wrong is for the query that follows to say
    }
  }

  /**
   * The rows of a statement, run now; undefined when it has to be run by Kysely, which waits: for the file to be opened,
   * for somebody else's transaction on this connection, or for a lock.
   */
  rowsNow(sql: string, parameters: unknown[], isInTransaction: boolean): unknown[] | undefined {
    if (this.#file === undefined || this.#file.inTransaction !== isInTransaction) return undefined;
    const statement = this.#file.statements.prepare(sql);
    try {
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  }
}

class Driver extends SqliteDriver {
  #file: Sqlite.Database | undefined;
  #connection: DatabaseConnection | undefined;

  constructor(path: string, adapter: SqliteFileAdapter) {
    super({
      database: async () => {
        this.#file = await open(path);
        const statements = keepingStatements(this.#file);
        adapter.opened(this.#file, statements);
        return statements;
      },
    });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= retryingWhenBusy(await super.acquireConnection());
    return this.#connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /** A full disk may have rolled the transaction back already: https://sqlite.org/lang_transaction.html */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file?.inTransaction) await super.rollbackTransaction(connection);
  }
}

async function open(path: string): Promise<Sqlite.Database> {
  try {
    return await whileBusy(() => openNow(path));
  } catch (cause) {
    const remedy =
      "Check that it is a SQLite database that this user may read and write, or set DATABASE_URL to another file.";
    throw new DatabaseError(`The database file ${path} cannot be opened (${(cause as Error).message}). ${remedy}`, {
      cause,
    });
  }
}

function openNow(path: string): Sqlite.Database {
  mkdirSync(dirname(path), { recursive: true });
  const file = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    for (const [name, value] of Object.entries(SETTINGS)) {
      file.pragma(`${name} = ${value}`);
      const actual = file.pragma(name, { simple: true });
      if (actual !== value) throw new Error(`SQLite keeps ${name} at ${String(actual)} instead of ${value}`);
    }
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Preparing costs more than most of our queries, and there are few different ones. */
function keepingStatements(file: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, Sqlite.Statement>();
  return {
    close: () => void file.close(),
    prepare: (sql) => {
      const kept = statements.get(sql);
      if (kept !== undefined) return kept;
      if (statements.size >= STATEMENTS_KEPT) statements.clear();
      const statement = file.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
  };
}

/** Only a statement outside a transaction, or the one that begins it, can find the database busy: it has done nothing yet. */
function retryingWhenBusy(connection: DatabaseConnection): DatabaseConnection {
  return {
    executeQuery: (query) => whileBusy(() => connection.executeQuery(query)),
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

async function whileBusy<Result>(attempt: () => Result | Promise<Result>): Promise<Result> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > deadline) {
        throw new DatabaseError("The database is locked by another process. End that process, or try again.", {
          cause: error,
        });
      }
      await setTimeout(25 + Math.random() * 50);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY");
}
