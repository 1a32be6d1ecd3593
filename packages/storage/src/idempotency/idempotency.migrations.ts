import { type Kysely, sql } from "kysely";
import { columnTypes } from "../column-types.ts";

/** Creates the table of responses stored for `Idempotency-Key`, by API key. */
export async function createIdempotencyKeys(db: Kysely<unknown>): Promise<void> {
  const { integer, strictWithoutRowid } = columnTypes(db);
  await sql`
    create table idempotency_keys (
      api_key_id ${integer} not null references api_keys (id),
      key text not null,
      request_hash text not null,
      answer text not null,
      created_at ${integer} not null,
      primary key (api_key_id, key)
    ) ${strictWithoutRowid}`.execute(db);
  await sql`create index idempotency_keys_created_at on idempotency_keys (created_at)`.execute(db);
}
