import type Sqlite from "better-sqlite3";
import {
  type CompiledQuery,
  type Kysely,
  type QueryExecutorProvider,
  SqliteAdapter,
  type SqliteDatabase,
} from "kysely";
import { addFilePath, FileMovedError, isBusy } from "./database-error.ts";
import { PostgresPoolAdapter } from "./postgres/postgres.dialect.ts";
import { nameStatement } from "./postgres/statement-names.ts";
import type { OpenFile } from "./sqlite/sqlite.file.ts";
import type { ReadSnapshot } from "./storage.ts";

/** A query built with Kysely or its `sql` tag. */
interface Query<Row> {
  compile: (db: QueryExecutorProvider) => CompiledQuery<Row>;
}

/** The name of the value that each placeholder replaces while a query is compiled. */
const PLACEHOLDERS = new WeakMap<object, string>();

/** The property that Kysely reads from every value. */
const READ_BY_KYSELY = "toOperationNode";

/** Returns a placeholder for a value. Reading any other property throws, because the query must not depend on the value. */
function placeholderOf(name: string): object {
  const placeholder = new Proxy(
    {},
    {
      get: (_, key) => {
        if (key === READ_BY_KYSELY) return undefined;
        throw new Error(
          `A prepared query is built once, so it cannot depend on the value of "${name}". Compute the result first and pass it as a value.`,
        );
      },
    },
  );
  PLACEHOLDERS.set(placeholder, name);
  return placeholder;
}

/** The maximum number of compiled queries that one function caches per database. */
const MAX_SHAPES = 256;

/**
 * Returns a function that runs a query and resolves with its rows. The query is compiled once for each database and each
 * set of values that are not `undefined`, because compiling takes much longer than most queries on SQLite.
 *
 * `build` may compare a value only with `undefined`. Reading a value throws, and a test for truth is always true.
 *
 * On an open SQLite file, the query runs synchronously unless the file is locked or its connection is in another
 * transaction. On PostgreSQL, a connection parses it once, and reads outside of transactions share connections.
 */
export function prepared<Tables, Row, Values extends object = object>(
  build: (db: Kysely<Tables>, values: Values) => Query<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row[]> {
  const run = runnerOf(build);
  return async (db, values) => run(db, values);
}

/** Like `prepared`, but resolves with the first row, or undefined if there is none. */
export function preparedFirst<Tables, Row, Values extends object = object>(
  build: (db: Kysely<Tables>, values: Values) => Query<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row | undefined> {
  const run = runnerOf(build);
  return async (db, values) => {
    const rows = run(db, values);
    return (rows instanceof Promise ? await rows : rows)[0];
  };
}

function runnerOf<Tables, Row, Values extends object>(build: (db: Kysely<Tables>, values: Values) => Query<Row>) {
  const byAdapter = new WeakMap<object, Map<string, CompiledQuery<Row>>>();
  return (db: Kysely<Tables>, values: Values): Row[] | Promise<Row[]> => {
    const { adapter } = db.getExecutor();
    const compiled = byAdapter.get(adapter) ?? new Map<string, CompiledQuery<Row>>();
    byAdapter.set(adapter, compiled);
    const given = Object.keys(values).filter((name) => values[name as keyof Values] !== undefined);
    const shape = JSON.stringify(given.toSorted());
    const query = compiled.get(shape) ?? build(db, placeholdersOf(given) as Values).compile(db);
    if (!compiled.has(shape)) {
      if (compiled.size >= MAX_SHAPES) compiled.clear();
      compiled.set(shape, query);
      if (adapter instanceof PostgresPoolAdapter) nameStatement(query.sql);
    }
    const parameters = query.parameters.map((parameter) => {
      const name = PLACEHOLDERS.get(parameter as object);
      return name === undefined ? parameter : values[name as keyof Values];
    });
    const rows =
      adapter instanceof PostgresPoolAdapter || adapter instanceof SqliteFileAdapter
        ? adapter.execute(query.sql, parameters, db)
        : undefined;
    if (rows !== undefined) return rows as Row[] | Promise<Row[]>;
    return db.executeQuery<Row>({ ...query, parameters }).then((result) => result.rows);
  };
}

function placeholdersOf(names: string[]): object {
  const placeholders = names.map((name) => [name, placeholderOf(name)]);
  return Object.assign(Object.create(null), Object.fromEntries(placeholders)) as object; // does not inherit `constructor`
}

/** Returns the file of a SQLite database or transaction. Kysely's adapter is the only object that both share. */
export function sqliteFileOf(db: QueryExecutorProvider): SqliteFileAdapter | undefined {
  const { adapter } = db.getExecutor();
  return adapter instanceof SqliteFileAdapter ? adapter : undefined;
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

  /** Called once the file is open. Returns its statements, which are cached. */
  opened({ file, isAtPath, changes }: OpenFile): SqliteDatabase {
    const statements = withStatementCache(file);
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
    return statements;
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
  execute(sql: string, parameters: unknown[], { isTransaction }: Kysely<any>): unknown[] | undefined {
    if (this.#file === undefined || this.#file.inTransaction !== isTransaction) return undefined;
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

const MAX_CACHED_STATEMENTS = 256;

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
