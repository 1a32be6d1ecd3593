import { setImmediate as nextTurn } from "node:timers/promises";
import { isPostgres } from "@openapi-operations/storage/database";
import { isDatabaseUnavailable } from "@openapi-operations/storage/database-error";
import { prepared, preparedFirst } from "@openapi-operations/storage/prepared";
import type { Storage } from "@openapi-operations/storage/storage";
import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import { expiredBefore } from "./idempotent.ts";
import type { ApiKeysTables } from "./keys.table.ts";

/** How often expired responses are looked for, in milliseconds. They may stay longer, since a request replaces its own. */
const INTERVAL_MS = 60_000;
/** The responses that one transaction deletes, so that it holds no write up. */
const BATCH = 500;
/** The key of the advisory lock in PostgreSQL. The number is arbitrary, so that other programs are unlikely to use it. */
const LOCK = 7_382_955_338;

/**
 * Deletes the responses stored for `Idempotency-Key` that have expired, in batches between other writes. A request does not do this,
 * because a creation would then touch rows of other API keys, which a sharded database has on other nodes. Of several processes on
 * PostgreSQL, one works at a time. A failure is logged once, and the next round tries again. `close` ends it, after
 * the transaction that runs.
 */
export function expireResponses(
  write: Storage<ApiKeysTables>["write"],
  logger: Logger,
  intervalMs = INTERVAL_MS,
): { close: () => Promise<void> } {
  const closing = new AbortController();
  let isFailing = false;
  let from = 0;
  let running = Promise.resolve();

  const deleteAll = async (): Promise<void> => {
    try {
      while (!closing.signal.aborted) {
        const last = await write((trx) => deleteBatch(trx, from));
        if (last === undefined) break;
        from = last;
        await nextTurn();
      }
      isFailing = false;
    } catch (error) {
      const details = isDatabaseUnavailable(error) ? { reason: (error as Error).message } : { err: error };
      if (!isFailing) logger.warn(details, "expired responses of Idempotency-Key could not be deleted");
      isFailing = true;
    }
  };

  let timer: NodeJS.Timeout;
  const later = (delay: number): void => {
    timer = setTimeout(() => {
      running = deleteAll().then(() => {
        if (!closing.signal.aborted) later(intervalMs);
      });
    }, delay).unref();
  };
  later(Math.random() * intervalMs); // processes that start together look at different times
  return {
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/**
 * Deletes the oldest expired responses, and resolves with the time of the last one, or with undefined if there are no more.
 * PostgreSQL keeps what was deleted in its index until a vacuum, so that a batch begins where the one before ended.
 */
async function deleteBatch(trx: Kysely<ApiKeysTables>, previous: number): Promise<number | undefined> {
  if (isPostgres(trx)) {
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as taken`.execute(trx);
    if (!rows[0]?.taken) return undefined;
  }
  const expired = expiredBefore(Date.now());
  const from = previous > expired ? 0 : previous; // the clock was set back
  const last = await lastOfBatch(trx, { from, expired });
  await deleteBetween(trx, { from, time: last?.created_at ?? expired });
  return last?.created_at;
}

const lastOfBatch = preparedFirst((db: Kysely<ApiKeysTables>, { from, expired }: { from: number; expired: number }) =>
  db
    .selectFrom("idempotency_keys")
    .select("created_at")
    .where("created_at", ">=", from)
    .where("created_at", "<=", expired)
    .orderBy("created_at")
    .offset(BATCH - 1)
    .limit(1),
);

const deleteBetween = prepared((db: Kysely<ApiKeysTables>, { from, time }: { from: number; time: number }) =>
  db.deleteFrom("idempotency_keys").where("created_at", ">=", from).where("created_at", "<=", time),
);
