import type { Registration } from "../registration.ts";
import type { IdempotencyTables } from "./idempotency.table.ts";

/** The table of responses stored for `Idempotency-Key`. */
export const idempotencyKeys: Registration<IdempotencyTables> = {
  tables: {
    idempotency_keys: {
      key: ["api_key_id", "key"],
      noun: ["response stored for Idempotency-Key", "responses stored for Idempotency-Key"],
    },
  },
};
