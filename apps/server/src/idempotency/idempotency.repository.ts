import type { Database } from "../database.ts";

const KEPT_MS = 24 * 60 * 60 * 1000;
const EXPIRED_PER_CALL = 100;

/** One use of an `Idempotency-Key`: by whom, for what request, and when (milliseconds since 1970). */
export interface IdempotentRequest {
  apiKeyId: number;
  key: string;
  requestHash: string;
  now: number;
}

/** The answer of the write just done or of the first one, or that the key was used for another request. */
export type IdempotentOutcome<Answer> = { outcome: "done" | "replayed"; answer: Answer } | { outcome: "reused" };

/**
 * Runs `write` unless this key was used in the last 24 hours, and keeps its answer, which must survive JSON. Both happen
 * on the transaction it is given: of any number of duplicates exactly one writes, and a write that throws leaves nothing.
 */
export async function once<Answer>(
  trx: Database,
  { apiKeyId, key, requestHash, now }: IdempotentRequest,
  write: () => Promise<Answer>,
): Promise<IdempotentOutcome<Answer>> {
  const first = await trx
    .selectFrom("idempotency_keys")
    .select(["request_hash", "answer"])
    .where("api_key_id", "=", apiKeyId)
    .where("key", "=", key)
    .where("created_at", ">", now - KEPT_MS)
    .executeTakeFirst();
  if (first !== undefined) {
    if (first.request_hash !== requestHash) return { outcome: "reused" };
    return { outcome: "replayed", answer: JSON.parse(first.answer) as Answer };
  }

  const answer = await write();
  const kept = { request_hash: requestHash, answer: JSON.stringify(answer), created_at: now };
  await trx
    .insertInto("idempotency_keys")
    .values({ api_key_id: apiKeyId, key, ...kept })
    .onConflict((expired) => expired.columns(["api_key_id", "key"]).doUpdateSet(kept))
    .execute();
  await deleteExpired(trx, now);
  return { outcome: "done", answer };
}

/** A few at a time, so that no single caller pays for all. */
async function deleteExpired(trx: Database, now: number): Promise<void> {
  const expired = trx
    .selectFrom("idempotency_keys")
    .select(["api_key_id", "key"])
    .where("created_at", "<=", now - KEPT_MS)
    .limit(EXPIRED_PER_CALL);
  await trx
    .deleteFrom("idempotency_keys")
    .where((where) => where(where.refTuple("api_key_id", "key"), "in", expired.$asTuple("api_key_id", "key")))
    .execute();
}
