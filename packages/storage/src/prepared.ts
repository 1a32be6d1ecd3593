import type { CompiledQuery, Kysely, QueryExecutorProvider } from "kysely";
import { SqliteFileAdapter } from "./sqlite/sqlite.dialect.ts";

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
 * transaction.
 */
export function prepared<Tables, Row, Values extends object = object>(
  build: (db: Kysely<Tables>, values: Values) => Query<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row[]> {
  const byAdapter = new WeakMap<object, Map<string, CompiledQuery<Row>>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    const compiled = byAdapter.get(adapter) ?? new Map<string, CompiledQuery<Row>>();
    byAdapter.set(adapter, compiled);
    const given = Object.keys(values).filter((name) => values[name as keyof Values] !== undefined);
    const shape = JSON.stringify(given.toSorted());
    const query = compiled.get(shape) ?? build(db, placeholdersOf(given) as Values).compile(db);
    if (!compiled.has(shape)) {
      if (compiled.size >= MAX_SHAPES) compiled.clear();
      compiled.set(shape, query);
    }
    const parameters = query.parameters.map((parameter) => {
      const name = PLACEHOLDERS.get(parameter as object);
      return name === undefined ? parameter : values[name as keyof Values];
    });
    const rows =
      adapter instanceof SqliteFileAdapter ? adapter.executeSync(query.sql, parameters, db.isTransaction) : undefined;
    if (rows !== undefined) return rows as Row[];
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

/** Like `prepared`, but resolves with the first row, or undefined if there is none. */
export function preparedFirst<Tables, Row, Values extends object = object>(
  build: (db: Kysely<Tables>, values: Values) => Query<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row | undefined> {
  const run = prepared(build);
  return async (db, values) => (await run(db, values))[0];
}

function placeholdersOf(names: string[]): object {
  const placeholders = names.map((name) => [name, placeholderOf(name)]);
  return Object.assign(Object.create(null), Object.fromEntries(placeholders)) as object; // does not inherit `constructor`
}
