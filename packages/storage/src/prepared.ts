import type { CompiledQuery, Kysely, QueryExecutorProvider } from "kysely";
import { SqliteFileAdapter } from "./sqlite/sqlite.dialect.ts";

/** A query as Kysely builds it, `sql` among it. */
interface Query<Row> {
  compile: (db: QueryExecutorProvider) => CompiledQuery<Row>;
}

/** What stands for values while a query is compiled, by the names of these. */
const PLACEHOLDERS = new WeakMap<object, string>();

/** What Kysely asks any value for. */
const READ_BY_KYSELY = new Set<string | symbol>(["toOperationNode", "expressionType"]);

/** A placeholder throws for whatever else is read of it, since the query would be built for a value that is not there. */
function placeholderOf(name: string): object {
  const placeholder = new Proxy(
    {},
    {
      get: (_, key) => {
        if (READ_BY_KYSELY.has(key)) return undefined;
        throw new Error(
          `A prepared query is built once, so that it cannot depend on what "${name}" is. Pass the result.`,
        );
      },
    },
  );
  PLACEHOLDERS.set(placeholder, name);
  return placeholder;
}

/** Queries of one function and database that are kept; there are as many as sets of values. */
const MAX_SHAPES = 256;

/**
 * A query that is built and compiled once for each database and set of values that are not `undefined`, since that costs many
 * times what SQLite takes for most queries. `build` may ask whether a value is `undefined`, and nothing else of it, not even
 * whether it is true. Gives the rows. On an open SQLite file the query has run when this returns.
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

/** The same for a query of at most one row. Gives the row, if there is one. */
export function preparedFirst<Tables, Row, Values extends object = object>(
  build: (db: Kysely<Tables>, values: Values) => Query<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row | undefined> {
  const run = prepared(build);
  return async (db, values) => (await run(db, values))[0];
}

function placeholdersOf(names: string[]): object {
  const placeholders = names.map((name) => [name, placeholderOf(name)]);
  return Object.assign(Object.create(null), Object.fromEntries(placeholders)) as object; // so that it has no `constructor`
}
