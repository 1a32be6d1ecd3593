import { type Kysely, sql } from "kysely";

/** When an API key was last used and when it was rotated, and the trail of what was done to keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys add column last_used_at integer`.execute(db);
  await sql`alter table api_keys add column rotated_at integer`.execute(db);

  await sql`
    create table audit (
      id integer primary key autoincrement,
      at integer not null,
      action text not null check (action in ('issue', 'rotate', 'revoke')),
      key_id integer not null,
      key_name text not null,
      key_prefix text not null,
      actor text not null
    ) strict`.execute(db);
}
