import { type Kysely, sql } from "kysely";
import { columnTypes } from "../columns.ts";
import type { Registration } from "../registration.ts";

/** The row types of the tables, by table name. */
export interface IdempotencyTables {
  idempotency_keys: IdempotencyKeysTable;
}

/** A response stored for `Idempotency-Key`, by API key. */
export interface IdempotencyKeysTable {
  api_key_id: number;
  key: string;
  request_hash: string;
  /** The response as JSON. */
  answer: string;
  created_at: number;
}

/** The table of responses stored for `Idempotency-Key`. */
export const idempotencyKeys: Registration<IdempotencyTables> = {
  tables: {
    idempotency_keys: {
      key: ["api_key_id", "key"],
      noun: ["response stored for Idempotency-Key", "responses stored for Idempotency-Key"],
    },
  },
};

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
