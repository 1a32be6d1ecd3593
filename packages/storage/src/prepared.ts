import type { CompiledQuery, Kysely, QueryExecutorProvider } from "kysely";
import { SqliteFileAdapter } from "./sqlite/sqlite.dialect.ts";

/** A query as Kysely builds it, `sql` among it. */
interface Query<Row> {
  compile: (db: QueryExecutorProvider) => CompiledQuery<Row>;
}

/** Stands for a value while a query is compiled. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`A prepared query is built once, so that it cannot depend on what "${this.name}" is.`);
  }
}

/**
 * A query that is built and compiled once for each database and set of values that are not `undefined`, since that costs many
 * times what SQLite takes for most queries. `build` may ask whether a value is `undefined`, and nothing else of it. Gives the
 * rows. On an open SQLite file the query has run when this returns.
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
    const shape = given.join();
    const query = compiled.get(shape) ?? build(db, placeholders(given) as Values).compile(db);
    compiled.set(shape, query);
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    const rows =
      adapter instanceof SqliteFileAdapter ? adapter.rowsNow(query.sql, parameters, db.isTransaction) : undefined;
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

function placeholders(names: string[]): Record<string, Placeholder> {
  return Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
}
