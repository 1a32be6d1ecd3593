/** The tables of idempotency, by their names. */
export interface IdempotencyTables {
  idempotency_keys: IdempotencyKeysTable;
}

/** The answers kept for `Idempotency-Key`, per API key. */
export interface IdempotencyKeysTable {
  api_key_id: number;
  key: string;
  request_hash: string;
  /** JSON. */
  answer: string;
  created_at: number;
}
