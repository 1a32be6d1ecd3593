import { columnTypes } from "@platform/storage/columns";
import { isPostgres } from "@platform/storage/database";
import { type Kysely, sql } from "kysely";

/** Creates the table of API keys. */
export async function createApiKeys(db: Kysely<unknown>): Promise<void> {
  const { id, integer, strict } = columnTypes(db);
  await sql`
    create table api_keys (
      id ${id},
      name text not null,
      prefix text not null,
      hash text not null unique,
      scopes text not null,
      created_at ${integer} not null,
      expires_at ${integer},
      revoked_at ${integer}
    ) ${strict}`.execute(db);
}

/** Adds the times of the last use and of the rotation of API keys, and creates the audit table. */
export async function auditApiKeys(db: Kysely<unknown>): Promise<void> {
  const { id, integer, strict } = columnTypes(db);
  await sql`alter table api_keys add column last_used_at ${integer}`.execute(db);
  await sql`alter table api_keys add column rotated_at ${integer}`.execute(db);

  await sql`
    create table audit (
      id ${id},
      at ${integer} not null,
      action text not null check (action in ('issue', 'rotate', 'revoke')),
      key_id ${integer} not null,
      key_name text not null,
      key_prefix text not null,
      actor text not null
    ) ${strict}`.execute(db);
}

/**
 * Creates the table of rate limits on PostgreSQL. The table is unlogged, so that
 * counting does not wait for the disk; a crash of the server loses only the counts. SQLite processes count in memory.
 */
export async function createRateLimits(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`
    create unlogged table rate_limits (
      key text primary key,
      points bigint not null,
      expire bigint
    )`.execute(db);
}
