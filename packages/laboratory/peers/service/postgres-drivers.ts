import { prepared } from "@openapi-operations/storage/prepared";
import { openDatabase } from "@openapi-operations/storage/database";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import postgres from "postgres";

interface Tables {
  pets: { id: number; name: string; category_id: number; status: string };
}

const CALLERS = 64;

const listOf = (db: Kysely<Tables>, limit: number) =>
  db.selectFrom("pets").select(["id", "name", "category_id as categoryId", "status"]).orderBy("id").limit(limit);
const preparedList = prepared((db: Kysely<Tables>, { limit }: { limit: number }) => listOf(db, limit));

/** Measures the CPU time of this process for a list of 20, in microseconds by driver and round. The drivers take turns. */
export async function costsOfDrivers(
  url: string,
  rounds: number,
  milliseconds: number,
): Promise<Record<string, number[]>> {
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) });
  const own = openDatabase<Tables>(url);
  const sql = postgres(url);
  const lists: Record<string, () => PromiseLike<unknown>> = {
    "Kysely with pg": () => listOf(kysely, 20).execute(),
    "prepared, of this repository": () => preparedList(own, { limit: 20 }),
    postgres: () => sql`select id, name, category_id as "categoryId", status from pets order by id limit ${20}`,
  };
  await preparedList(own, { limit: 20 }); // opens the pool
  const costs = Object.fromEntries(Object.keys(lists).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, list] of Object.entries(lists)) {
      const end = performance.now() + milliseconds;
      const before = process.cpuUsage();
      let queries = 0;
      const call = async (): Promise<void> => {
        for (; performance.now() < end; queries++) await list();
      };
      await Promise.all(Array.from({ length: CALLERS }, call));
      const { user, system } = process.cpuUsage(before);
      if (round > 0) costs[name]!.push((user + system) / queries);
    }
  }
  await Promise.all([kysely.destroy(), own.destroy(), sql.end()]);
  return costs;
}
