import { type Kysely, sql } from "kysely";

/** Tables for animals, API keys and the answers kept for `Idempotency-Key`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table pets (
      id integer primary key autoincrement,
      name text not null,
      category_id integer not null check (category_id between -9007199254740991 and 9007199254740991),
      status text not null check (status in ('available', 'pending', 'sold'))
    ) strict`.execute(db);
  await sql`create index pets_status_id on pets (status, id)`.execute(db);

  await sql`
    create table api_keys (
      id integer primary key autoincrement,
      name text not null,
      prefix text not null,
      hash text not null unique,
      scopes text not null,
      created_at integer not null,
      expires_at integer,
      revoked_at integer
    ) strict`.execute(db);

  await sql`
    create table idempotency_keys (
      api_key_id integer not null references api_keys (id),
      key text not null,
      request_hash text not null,
      answer text not null,
      created_at integer not null,
      primary key (api_key_id, key)
    ) strict, without rowid`.execute(db);
  await sql`create index idempotency_keys_created_at on idempotency_keys (created_at)`.execute(db);
}
