import type { Kysely } from "kysely";
import { isLockTimeout } from "../database-error.ts";
import { isPostgres } from "../database.ts";
import type { Storage, Work } from "../storage.ts";
import type { IdempotencyTables } from "./idempotency.table.ts";

const EXPIRY_MS = 24 * 60 * 60 * 1000;
const MAX_DELETED_PER_CALL = 100;

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  apiKeyId: number;
  key: string;
  requestHash: string;
  /** In milliseconds since 1970. */
  now: number;
  /** The hash that an earlier version computed for the same request. Set it while rows of that version may exist. */
  earlierHash?: string | undefined;
}

/**
 * The result of `withIdempotencyKey`:
 * - `done`: `work` ran now and returned the response.
 * - `replayed`: the same request ran before, and its stored response is returned.
 * - `earlier`: like `replayed`, but an earlier version stored the response.
 * - `reused`: a different request has used the key.
 * - `running`: the first request with the key has not finished.
 */
export type IdempotentResult<StoredResponse> =
  | { outcome: "done" | "replayed"; response: StoredResponse }
  | { outcome: "earlier"; response: unknown }
  | { outcome: "reused" | "running" };

/**
 * Runs `work` and stores its response as JSON, unless the key was used in the last 24 hours. Both happen in one transaction,
 * so exactly one of several duplicates writes, even across processes. If `work` throws or `isSuccess` returns false, the
 * transaction is rolled back and the key stays free. Duplicates wait for the first request and result in `running` if the
 * wait times out.
 */
export async function withIdempotencyKey<Tables extends IdempotencyTables, StoredResponse>(
  write: Storage<Tables>["write"],
  request: IdempotentRequest,
  work: Work<Tables, StoredResponse>,
  isSuccess: (response: StoredResponse) => boolean = () => true,
): Promise<IdempotentResult<StoredResponse>> {
  const perform = async (trx: Kysely<Tables>): Promise<IdempotentResult<StoredResponse>> => {
    const own: Kysely<any> = trx; // the compiler cannot compare Kysely types of generic tables
    if (!(await claim(own, request).catch(rethrowLockTimeout))) return replay<StoredResponse>(own, request);
    const response = await work(trx);
    await store(own, request, response);
    await deleteExpired(own, request.now);
    return { outcome: "done", response };
  };
  try {
    return await write(perform, (result) => result.outcome !== "done" || isSuccess(result.response));
  } catch (error) {
    if (error instanceof FirstRequestRuns) return { outcome: "running" };
    throw error;
  }
}

class FirstRequestRuns extends Error {}

/**
 * Converts a lock timeout to `FirstRequestRuns`. Only `claim` uses this: during `work`, a lock timeout may concern another
 * lock.
 */
function rethrowLockTimeout(error: unknown): never {
  throw isLockTimeout(error) ? new FirstRequestRuns() : error;
}

/**
 * Inserts the key and resolves with true if the key was free or had expired. PostgreSQL waits here for other transactions
 * that insert the same key.
 */
async function claim(
  trx: Kysely<IdempotencyTables>,
  { apiKeyId, key, requestHash, now }: IdempotentRequest,
): Promise<boolean> {
  const claimed = { request_hash: requestHash, answer: "", created_at: now };
  const row = await trx
    .insertInto("idempotency_keys")
    .values({ api_key_id: apiKeyId, key, ...claimed })
    .onConflict((used) =>
      used
        .columns(["api_key_id", "key"])
        .doUpdateSet(claimed)
        .where("idempotency_keys.created_at", "<=", now - EXPIRY_MS),
    )
    .returning("key")
    .executeTakeFirst();
  return row !== undefined;
}

async function replay<StoredResponse>(
  trx: Kysely<IdempotencyTables>,
  { apiKeyId, key, requestHash, earlierHash }: IdempotentRequest,
): Promise<IdempotentResult<StoredResponse>> {
  const first = await trx
    .selectFrom("idempotency_keys")
    .select(["request_hash", "answer"])
    .where("api_key_id", "=", apiKeyId)
    .where("key", "=", key)
    .executeTakeFirstOrThrow();
  if (first.request_hash === requestHash)
    return { outcome: "replayed", response: JSON.parse(first.answer) as StoredResponse };
  if (first.request_hash === earlierHash) return { outcome: "earlier", response: JSON.parse(first.answer) };
  return { outcome: "reused" };
}

async function store(
  trx: Kysely<IdempotencyTables>,
  { apiKeyId, key }: IdempotentRequest,
  response: unknown,
): Promise<void> {
  await trx
    .updateTable("idempotency_keys")
    .set({ answer: JSON.stringify(response) })
    .where("api_key_id", "=", apiKeyId)
    .where("key", "=", key)
    .execute();
}

/** Deletes up to 100 expired keys, so that every call is fast. Rows locked by another transaction are skipped. */
async function deleteExpired(trx: Kysely<IdempotencyTables>, now: number): Promise<void> {
  const expired = trx
    .selectFrom("idempotency_keys")
    .select(["api_key_id", "key"])
    .where("created_at", "<=", now - EXPIRY_MS)
    .limit(MAX_DELETED_PER_CALL)
    .$if(isPostgres(trx), (query) => query.forUpdate().skipLocked());
  await trx
    .deleteFrom("idempotency_keys")
    .where((where) => where(where.refTuple("api_key_id", "key"), "in", expired.$asTuple("api_key_id", "key")))
    .execute();
}
