import type { CompiledQuery, Kysely, QueryExecutorProvider, QueryResult } from "kysely";
import { SqliteFileAdapter } from "./sqlite/sqlite.dialect.ts";

/** A query as Kysely builds it, `sql` among it. */
interface Query<Row> {
  compile: (db: QueryExecutorProvider) => CompiledQuery<Row>;
}

/** Stands in a query, while it is compiled, for a value of the item at this place, which each run gives. */
class Placeholder {
  readonly at: number;
  readonly name: string | symbol;

  constructor(at: number, name: string | symbol) {
    this.at = at;
    this.name = name;
  }
}

const placeholders = (at: number): object => new Proxy({}, { get: (_, name) => new Placeholder(at, name) });

/**
 * A query that is built and compiled once for each database, since that costs many times what most of ours cost SQLite;
 * each run gives its values. On an open SQLite file the result is there at once, without a promise.
 */
export function prepared<Tables, Row, Values extends object = object>(
  build: (db: Kysely<Tables>, values: Values) => Query<Row>,
): (db: Kysely<Tables>, values: Values) => QueryResult<Row> | Promise<QueryResult<Row>> {
  const run = preparedForMany<Tables, Row, Values>((db, [values]) => build(db, values!));
  return (db, values) => run(db, [values]);
}

/** A query over several items, compiled once for each database and number of them. */
export function preparedForMany<Tables, Row, Item extends object>(
  build: (db: Kysely<Tables>, items: Item[]) => Query<Row>,
): (db: Kysely<Tables>, items: Item[]) => QueryResult<Row> | Promise<QueryResult<Row>> {
  const compiled = new WeakMap<object, CompiledQuery<Row>[]>();
  const compile = (db: Kysely<Tables>, adapter: object, size: number): CompiledQuery<Row> => {
    const items = Array.from({ length: size }, (_, at) => placeholders(at) as Item);
    const query = build(db, items).compile(db);
    const bySize = compiled.get(adapter) ?? [];
    compiled.set(adapter, bySize);
    return (bySize[size] = query);
  };
  return (db, items) => {
    const { adapter } = db.getExecutor();
    const query = compiled.get(adapter)?.[items.length] ?? compile(db, adapter, items.length);
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? items[parameter.at]![parameter.name as keyof Item] : parameter,
    );
    const result =
      adapter instanceof SqliteFileAdapter ? adapter.resultNow(query.sql, parameters, db.isTransaction) : undefined;
    return (result as QueryResult<Row> | undefined) ?? db.executeQuery({ ...query, parameters });
  };
}
