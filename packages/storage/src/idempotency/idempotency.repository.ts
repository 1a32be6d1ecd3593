import type { Kysely } from "kysely";
import { isLockTimeout } from "../database-error.ts";
import { isPostgres } from "../database.ts";
import { prepared, preparedFirst } from "../prepared.ts";
import type { Storage, Work } from "../storage.ts";
import type { IdempotencyTables } from "./idempotency.table.ts";

const EXPIRY_MS = 24 * 60 * 60 * 1000;
const MAX_DELETED_PER_CALL = 100;

type UsedKey = Pick<IdempotentRequest, "apiKeyId" | "key">;

/** Keys that were created then or before have expired. In milliseconds since 1970. */
interface Expiry {
  expiredAt: number;
}

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
  const { apiKeyId, key, requestHash, now } = request;
  const expiredAt = now - EXPIRY_MS;
  const perform = async (trx: Kysely<Tables>): Promise<IdempotentResult<StoredResponse>> => {
    const own: Kysely<any> = trx; // the compiler cannot compare Kysely types of generic tables
    const claimed = await claim(own, { apiKeyId, key, requestHash, now, expiredAt }).catch(rethrowLockTimeout);
    if (claimed === undefined) return replay<StoredResponse>(own, request);
    const response = await work(trx);
    await store(own, { apiKeyId, key, answer: JSON.stringify(response) });
    await deleteExpired(own, { expiredAt });
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
 * Inserts the key and resolves with it, or with undefined if the key is used and has not expired. PostgreSQL waits here for
 * other transactions that insert the same key.
 */
const claim = preparedFirst(
  (db: Kysely<IdempotencyTables>, values: Omit<IdempotentRequest, "earlierHash"> & Expiry) => {
    const claimed = { request_hash: values.requestHash, answer: "", created_at: values.now };
    return db
      .insertInto("idempotency_keys")
      .values({ api_key_id: values.apiKeyId, key: values.key, ...claimed })
      .onConflict((used) =>
        used
          .columns(["api_key_id", "key"])
          .doUpdateSet(claimed)
          .where("idempotency_keys.created_at", "<=", values.expiredAt),
      )
      .returning("key");
  },
);

async function replay<StoredResponse>(
  trx: Kysely<IdempotencyTables>,
  { apiKeyId, key, requestHash, earlierHash }: IdempotentRequest,
): Promise<IdempotentResult<StoredResponse>> {
  const first = (await storedOf(trx, { apiKeyId, key }))!;
  if (first.request_hash === requestHash)
    return { outcome: "replayed", response: JSON.parse(first.answer) as StoredResponse };
  if (first.request_hash === earlierHash) return { outcome: "earlier", response: JSON.parse(first.answer) };
  return { outcome: "reused" };
}

const storedOf = preparedFirst((db: Kysely<IdempotencyTables>, { apiKeyId, key }: UsedKey) =>
  db
    .selectFrom("idempotency_keys")
    .select(["request_hash", "answer"])
    .where("api_key_id", "=", apiKeyId)
    .where("key", "=", key),
);

const store = prepared((db: Kysely<IdempotencyTables>, { apiKeyId, key, answer }: UsedKey & { answer: string }) =>
  db.updateTable("idempotency_keys").set({ answer }).where("api_key_id", "=", apiKeyId).where("key", "=", key),
);

/** Deletes up to 100 expired keys, so that every call is fast. Rows locked by another transaction are skipped. */
const deleteExpired = prepared((db: Kysely<IdempotencyTables>, { expiredAt }: Expiry) => {
  const expired = db
    .selectFrom("idempotency_keys")
    .select(["api_key_id", "key"])
    .where("created_at", "<=", expiredAt)
    .limit(MAX_DELETED_PER_CALL)
    .$if(isPostgres(db), (query) => query.forUpdate().skipLocked());
  return db
    .deleteFrom("idempotency_keys")
    .where((where) => where(where.refTuple("api_key_id", "key"), "in", expired.$asTuple("api_key_id", "key")));
});
