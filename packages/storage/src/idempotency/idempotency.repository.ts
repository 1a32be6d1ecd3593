import type { Kysely } from "kysely";
import { isLockTimeout } from "../database-error.ts";
import { isPostgres } from "../database.ts";
import type { Storage, Work } from "../storage.ts";
import type { IdempotencyTables } from "./idempotency.table.ts";

const EXPIRY_MS = 24 * 60 * 60 * 1000;
const MAX_DELETED_PER_CALL = 100;

/** One use of an `Idempotency-Key`: by whom, for what request, and when (milliseconds since 1970). */
export interface IdempotentRequest {
  apiKeyId: number;
  key: string;
  requestHash: string;
  now: number;
  /** The hash of the same request in rows that an earlier version wrote, where there may be some. */
  earlierHash?: string | undefined;
}

/** The answer of the write just done or of the first one, or why there is none. `earlier` is one that an earlier version kept. */
export type IdempotentResult<Answer> =
  | { outcome: "done" | "replayed"; answer: Answer }
  | { outcome: "earlier"; answer: unknown }
  | { outcome: "reused" | "running" };

/**
 * Does `work` unless this key was used in the last 24 hours, and keeps its answer, which must survive JSON. Both happen in
 * one transaction: of any number of duplicates, in any number of processes, exactly one writes, and work that throws, or
 * whose answer `isSuccess` says no of, leaves nothing. Duplicates wait for the one that writes; `running` says that it took
 * too long.
 */
export async function withIdempotencyKey<Tables extends IdempotencyTables, Answer>(
  write: Storage<Tables>["write"],
  request: IdempotentRequest,
  work: Work<Tables, Answer>,
  isSuccess: (answer: Answer) => boolean = () => true,
): Promise<IdempotentResult<Answer>> {
  const perform = async (trx: Kysely<Tables>): Promise<IdempotentResult<Answer>> => {
    const own: Kysely<any> = trx; // of types that are not known yet, Kysely's cannot be compared
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

/** Work may wait for locks of its own, which say nothing of the first request. */
function rethrowLockTimeout(error: unknown): never {
  throw isLockTimeout(error) ? new FirstRequestRuns() : error;
}

/** Takes the key if it is free or has expired. PostgreSQL waits here for another transaction that has taken it. */
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

/** A few at a time, so that no single caller pays for all; those that another transaction has locked are left to it. */
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
