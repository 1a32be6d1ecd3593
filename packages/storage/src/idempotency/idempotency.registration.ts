import type { Registration } from "../registration.ts";
import type { IdempotencyTables } from "./idempotency.table.ts";

/** The table of responses stored for `Idempotency-Key`. */
export const idempotencyKeys: Registration<IdempotencyTables> = {
  tables: {
    idempotency_keys: {
      key: ["api_key_id", "key"],
      noun: ["answer kept for Idempotency-Key", "answers kept for Idempotency-Key"],
    },
  },
};
