import type { CompiledQuery, Kysely, QueryExecutorProvider } from "kysely";
import { SqliteFileAdapter } from "./sqlite/sqlite.dialect.ts";

/** A query built with Kysely or its `sql` tag. */
interface Query<Row> {
  compile: (db: QueryExecutorProvider) => CompiledQuery<Row>;
}

/** The names of the values for which placeholders stand while a query is compiled. */
const PLACEHOLDERS = new WeakMap<object, string>();

/** The properties that Kysely reads of any value. */
const READ_BY_KYSELY = new Set<string | symbol>(["toOperationNode", "expressionType"]);

/** The placeholder throws when another property is read, because a query must not depend on a value that it lacks. */
function placeholderOf(name: string): object {
  const placeholder = new Proxy(
    {},
    {
      get: (_, key) => {
        if (READ_BY_KYSELY.has(key)) return undefined;
        throw new Error(
          `A prepared query is built once, so it cannot depend on the value of "${name}". Compute the result first and pass it as a value.`,
        );
      },
    },
  );
  PLACEHOLDERS.set(placeholder, name);
  return placeholder;
}

/** How many compiled queries one function caches per database: one for each set of values that are not `undefined`. */
const MAX_SHAPES = 256;

/**
 * Returns a function that runs a query and resolves with its rows. The query is built and compiled once for each database
 * and set of values that are not `undefined`, because compiling takes many times as long as SQLite takes for most queries.
 * `build` may check whether a value is `undefined`, and must not read it otherwise, not even test its truth.
 * On an open SQLite file the query has run when the call returns.
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

/** The same for a query of at most one row; resolves with the row, or undefined. */
export function preparedFirst<Tables, Row, Values extends object = object>(
  build: (db: Kysely<Tables>, values: Values) => Query<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row | undefined> {
  const run = prepared(build);
  return async (db, values) => (await run(db, values))[0];
}

function placeholdersOf(names: string[]): object {
  const placeholders = names.map((name) => [name, placeholderOf(name)]);
  return Object.assign(Object.create(null), Object.fromEntries(placeholders)) as object; // without a prototype, so that `constructor` is no value
}
