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
