import { isPostgres } from "@openapi-operations/storage/database";
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Tables } from "../../src/registrations.ts";
import type { Database } from "../temporary.ts";

/** The database's plan for the statement that a repository function sends, by its own command such as `explain`. */
export async function planOf<Row>(
  db: Database,
  explain: string,
  act: (db: Database) => Promise<unknown>,
): Promise<Row[]> {
  const sent: CompiledQuery[] = [];
  const recorder = new Kysely<Tables>({
    dialect: {
      createAdapter: () => (isPostgres(db) ? new PostgresAdapter() : new SqliteAdapter()),
      createDriver: () => new DummyDriver(),
      createIntrospector: (given) => new SqliteIntrospector(given),
      createQueryCompiler: () => (isPostgres(db) ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
    },
    log: ({ query }) => void sent.push(query),
  });
  await act(recorder);
  const { sql, parameters } = sent[0]!;
  return (await db.executeQuery(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]))).rows as Row[];
}
