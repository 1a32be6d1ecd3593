import { type Kysely, sql } from "kysely";
import { isPostgres } from "../database.ts";

/**
 * Where processes on one PostgreSQL count requests together, in the columns that rate-limiter-flexible expects. Unlogged, so
 * that counting waits for no disk: after a crash the server has forgotten the counts and nothing else. SQLite needs none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`
    create unlogged table rate_limits (
      key text primary key,
      points bigint not null,
      expire bigint
    )`.execute(db);
}
