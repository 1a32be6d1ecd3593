import { type Kysely, sql } from "kysely";
import { isPostgres } from "../database.ts";

/** Whose API key added an animal, and when; null for animals that were there before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const integer = isPostgres(db) ? sql`bigint` : sql`integer`;
  await sql`alter table pets add column created_by ${integer}`.execute(db);
  await sql`alter table pets add column created_at ${integer}`.execute(db);
}
