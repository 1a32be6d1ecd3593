import type { CompiledQuery, QueryExecutorProvider, QueryResult } from "kysely";
import type { Database } from "./database.ts";
import { SqliteFileAdapter } from "./sqlite.dialect.ts";

/** A query as Kysely builds it, `sql` among it. */
interface Query<Row> {
  compile: (db: QueryExecutorProvider) => CompiledQuery<Row>;
}

/** Stands in a query, while it is compiled, for the value that each run gives under its name. */
class Placeholder {
  readonly name: string | symbol;

  constructor(name: string | symbol) {
    this.name = name;
  }
}

const PLACEHOLDERS = new Proxy({}, { get: (_, name) => new Placeholder(name) });

/**
 * A query that is built and compiled once for each database, since that costs many times what most of ours cost SQLite;
 * each run gives its values. On an open SQLite file the result is there at once, without a promise.
 */
export function prepared<Row, Values extends object = object>(
  build: (db: Database, values: Values) => Query<Row>,
): (db: Database, values: Values) => QueryResult<Row> | Promise<QueryResult<Row>> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  const compile = (db: Database, adapter: object): CompiledQuery<Row> => {
    const query = build(db, PLACEHOLDERS as Values).compile(db);
    compiled.set(adapter, query);
    return query;
  };
  return (db, values) => {
    const { adapter } = db.getExecutor();
    const query = compiled.get(adapter) ?? compile(db, adapter);
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    const result =
      adapter instanceof SqliteFileAdapter ? adapter.resultNow(query.sql, parameters, db.isTransaction) : undefined;
    return (result as QueryResult<Row> | undefined) ?? db.executeQuery({ ...query, parameters });
  };
}
