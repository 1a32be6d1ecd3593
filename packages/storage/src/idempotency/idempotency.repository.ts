import type { Kysely } from "kysely";
import { isLockTimeout } from "../database-error.ts";
import { isPostgres } from "../database.ts";
import type { Storage, Work } from "../storage.ts";
import type { IdempotencyTables } from "./idempotency.table.ts";

const EXPIRY_MS = 24 * 60 * 60 * 1000;
const MAX_DELETED_PER_CALL = 100;

/** One use of an `Idempotency-Key`: the API key, the hash of the request, and the time in milliseconds since 1970. */
export interface IdempotentRequest {
  apiKeyId: number;
  key: string;
  requestHash: string;
  now: number;
  /** The hash of the same request as an earlier version computed it, if its rows may still exist. */
  earlierHash?: string | undefined;
}

/**
 * The result of `withIdempotencyKey`: `done` is the answer of this write, `replayed` that of the first one, `earlier` one
 * stored by an earlier version. `reused` means another request has used the key; `running`, the first is still running.
 */
export type IdempotentResult<Answer> =
  | { outcome: "done" | "replayed"; answer: Answer }
  | { outcome: "earlier"; answer: unknown }
  | { outcome: "reused" | "running" };

/**
 * Runs `work` unless this key was used in the last 24 hours, and stores its answer, which must survive JSON. Both happen in
 * one transaction, so exactly one of any number of duplicates writes, in any number of processes. Work that throws, or
 * whose answer `isSuccess` returns false for, leaves nothing. Duplicates wait for the one that writes; the result is
 * `running` if that takes too long.
 */
export async function withIdempotencyKey<Tables extends IdempotencyTables, Answer>(
  write: Storage<Tables>["write"],
  request: IdempotentRequest,
  work: Work<Tables, Answer>,
  isSuccess: (answer: Answer) => boolean = () => true,
): Promise<IdempotentResult<Answer>> {
  const perform = async (trx: Kysely<Tables>): Promise<IdempotentResult<Answer>> => {
    const own: Kysely<any> = trx; // the compiler cannot compare Kysely types of generic tables
    if (!(await claim(own, request).catch(rethrowLockTimeout))) return replay<Answer>(own, request);
    const answer = await work(trx);
    await store(own, request, answer);
    await deleteExpired(own, request.now);
    return { outcome: "done", answer };
  };
  try {
    return await write(perform, (result) => result.outcome !== "done" || isSuccess(result.answer));
  } catch (error) {
    if (error instanceof FirstRequestRuns) return { outcome: "running" };
    throw error;
  }
}

class FirstRequestRuns extends Error {}

/**
 * Marks a lock timeout of the claim as a first request that still runs. Timeouts of `work` itself are not marked, because
 * it may wait for other locks.
 */
function rethrowLockTimeout(error: unknown): never {
  throw isLockTimeout(error) ? new FirstRequestRuns() : error;
}

/** Inserts the key and resolves with true if it was free or has expired. PostgreSQL waits here for a transaction with the same key. */
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

async function replay<Answer>(
  trx: Kysely<IdempotencyTables>,
  { apiKeyId, key, requestHash, earlierHash }: IdempotentRequest,
): Promise<IdempotentResult<Answer>> {
  const first = await trx
    .selectFrom("idempotency_keys")
    .select(["request_hash", "answer"])
    .where("api_key_id", "=", apiKeyId)
    .where("key", "=", key)
    .executeTakeFirstOrThrow();
  if (first.request_hash === requestHash) return { outcome: "replayed", answer: JSON.parse(first.answer) as Answer };
  if (first.request_hash === earlierHash) return { outcome: "earlier", answer: JSON.parse(first.answer) };
  return { outcome: "reused" };
}

async function store(
  trx: Kysely<IdempotencyTables>,
  { apiKeyId, key }: IdempotentRequest,
  answer: unknown,
): Promise<void> {
  await trx
    .updateTable("idempotency_keys")
    .set({ answer: JSON.stringify(answer) })
    .where("api_key_id", "=", apiKeyId)
    .where("key", "=", key)
    .execute();
}

/** Deletes a few expired keys per call, so that no single call pays for all. Rows locked by another transaction are skipped. */
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
