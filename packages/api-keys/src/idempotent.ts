import { hash } from "node:crypto";
import { type ErrorBody, errorBody } from "@openapi-operations/service/errors";
import { isPostgres } from "@openapi-operations/storage/database";
import { isLockTimeout, isStatementTimeout } from "@openapi-operations/storage/database-error";
import { prepared, preparedFirst } from "@openapi-operations/storage/prepared";
import type { Storage, Work } from "@openapi-operations/storage/storage";
import type { StatusCode } from "express-operations";
import type { Kysely } from "kysely";
import stableStringify from "safe-stable-stringify";
import { holdsApiKey } from "./api-key.ts";
import type { ApiKeysTables } from "./keys.table.ts";

const EXPIRY_MS = 24 * 60 * 60 * 1000;

/** Returns the time of the newest responses that have expired now. In milliseconds since 1970. */
export function expiredBefore(now: number): number {
  return now - EXPIRY_MS;
}

/** The fields of a handler's input that `idempotent` reads. */
interface IdempotentInput<Tables> {
  operationId: string;
  path: object;
  query: object;
  headers: { "Idempotency-Key"?: string };
  body?: unknown;
  files?: unknown;
  caller: { id: number };
  context: Pick<Storage<Tables>, "write">;
}

/** A response that can be stored. Body and headers must be the same after conversion to JSON and back. */
interface StorableResponse {
  status: StatusCode;
  headers?: object;
  body?: unknown;
}

/** The response of the work. A response with a success status may also be a stored one, with `Idempotency-Replayed`. */
type Replayable<HandlerResponse extends StorableResponse> = HandlerResponse extends StorableResponse & {
  status: 200 | 201 | 202 | 204;
}
  ? HandlerResponse | Replayed<HandlerResponse>
  : HandlerResponse;
type Replayed<HandlerResponse extends StorableResponse> = Omit<HandlerResponse, "headers"> & {
  headers: HandlerResponse["headers"] & { "Idempotency-Replayed": "true" };
};

/** The errors that `idempotent` itself returns. */
type IdempotencyError =
  | { status: 400 | 422; body: ErrorBody }
  | { status: 409; headers: { "Retry-After": number }; body: ErrorBody };

const REUSED: IdempotencyError = { status: 422, body: errorBody("idempotency_key_reused") };

const API_KEY_AS_IDEMPOTENCY_KEY =
  "The Idempotency-Key contains an API key. Send API keys in the Authorization header only.";

/**
 * Runs the work of a request in one transaction, at most once per caller and `Idempotency-Key` within 24 hours, even across
 * processes. Without a key, the work runs each time.
 *
 * - A repeat gets the first response with `Idempotency-Replayed: true`. Requests are the same if their operationId, path and
 *   query values and validated body are the same.
 * - A different request with the same key gets 422.
 * - A request waits for the first one, and gets 409 if the wait times out.
 *
 * `expireResponses` deletes what is older; `openKeyedStorage` starts it.
 *
 * If the work throws or returns a status outside 2xx, the transaction is rolled back and the key stays unused. On PostgreSQL
 * the work of a repeat runs too, and is rolled back, because it does not wait for the key. Throws for
 * uploaded files, which cannot be compared, and for responses of bytes, which cannot be stored.
 */
export async function idempotent<Tables extends ApiKeysTables, HandlerResponse extends StorableResponse>(
  input: IdempotentInput<Tables>,
  work: Work<Tables, HandlerResponse>,
): Promise<Replayable<HandlerResponse> | IdempotencyError> {
  const { operationId, path, query, body, files, caller, context } = input;
  if (files !== undefined) throw new Error(`idempotent() cannot compare the uploaded files of "${operationId}".`);
  const key = input.headers["Idempotency-Key"];
  if (key === undefined) return (await context.write(work, isSuccess)) as Replayable<HandlerResponse>;
  if (holdsApiKey(key)) return { status: 400, body: errorBody("invalid_request", API_KEY_AS_IDEMPOTENCY_KEY) };
  const identity = stableStringify([operationId, path, query, ...(body === undefined ? [] : [body])]); // whatever the order of fields
  const requestHash = `2:${hash("sha256", identity, "base64url")}`; // 2 is the version of the hash
  const used = { apiKeyId: caller.id, key };
  const now = Date.now();
  let storing: Promise<unknown> | undefined;
  const once: Work<Tables, StorableResponse> = async (trx) => {
    const own: Kysely<any> = trx; // the compiler cannot compare Kysely types of generic tables
    const claiming = claim(own, { ...used, requestHash, now, expired: expiredBefore(now) });
    // PostgreSQL gets the claim and the work in one round trip. Both have to end before the transaction does.
    const working = isPostgres(own) ? (async () => work(trx))() : undefined;
    if (working !== undefined) await Promise.allSettled([claiming, working]);
    if ((await claiming.catch(rethrowTimeout)) === undefined) {
      if (working !== undefined) throw new KeyUsed(); // rolls the work back
      return replay((await storedOf(own, used))!, requestHash);
    }
    const response = await (working ?? work(trx));
    if (response.body instanceof Uint8Array)
      throw new Error(`idempotent() cannot store the response of "${operationId}", whose body is bytes.`);
    storing = store(own, { ...used, answer: JSON.stringify(response) });
    if (working === undefined) await storing;
    else storing.catch(() => {}); // goes to the server with the commit, which then fails too
    return response;
  };
  try {
    const response = await context.write(once, (result) => result === REUSED || isSuccess(result));
    return response as Replayable<HandlerResponse> | IdempotencyError; // also a stored one, which the same operation returned
  } catch (error) {
    if (error instanceof FirstRequestRuns)
      return { status: 409, headers: { "Retry-After": 1 }, body: errorBody("idempotency_in_progress") };
    await storing; // rejects with the reason why the commit failed
    if (!(error instanceof KeyUsed)) throw error;
  }
  const stored = await context.write((trx: Kysely<any>) => storedOf(trx, used));
  if (stored === undefined) return idempotent(input, work); // it has just been deleted
  return replay(stored, requestHash) as Replayable<HandlerResponse> | IdempotencyError;
}

function isSuccess({ status }: StorableResponse): boolean {
  return status >= 200 && status < 300;
}

class FirstRequestRuns extends Error {}

class KeyUsed extends Error {}

/**
 * Converts a timeout to `FirstRequestRuns`. Only `claim` uses this: during the work, a lock timeout may concern another lock.
 * The nodes of a sharded database may not know `lock_timeout`, so that the statement times out instead.
 */
function rethrowTimeout(error: unknown): never {
  throw isLockTimeout(error) || isStatementTimeout(error) ? new FirstRequestRuns() : error;
}

/** Returns the stored response, unless the key was used for another request. */
function replay(
  { request_hash, answer }: { request_hash: string; answer: string },
  requestHash: string,
): StorableResponse {
  if (request_hash !== requestHash) return REUSED;
  const response = JSON.parse(answer) as StorableResponse;
  return { ...response, headers: { ...response.headers, "Idempotency-Replayed": "true" } };
}

/** The primary key of a row. */
interface UsedKey {
  apiKeyId: number;
  key: string;
}

/**
 * Inserts the key and resolves with it, or with undefined if the key is used and has not expired. PostgreSQL waits here for
 * other transactions that insert the same key.
 */
const claim = preparedFirst(
  (db: Kysely<ApiKeysTables>, values: UsedKey & { requestHash: string; now: number; expired: number }) => {
    const claimed = { request_hash: values.requestHash, answer: "", created_at: values.now };
    return db
      .insertInto("idempotency_keys")
      .values({ api_key_id: values.apiKeyId, key: values.key, ...claimed })
      .onConflict((used) =>
        used
          .columns(["api_key_id", "key"])
          .doUpdateSet(claimed)
          .where("idempotency_keys.created_at", "<=", values.expired),
      )
      .returning("key");
  },
);

const storedOf = preparedFirst((db: Kysely<ApiKeysTables>, { apiKeyId, key }: UsedKey) =>
  db
    .selectFrom("idempotency_keys")
    .select(["request_hash", "answer"])
    .where("api_key_id", "=", apiKeyId)
    .where("key", "=", key),
);

const store = prepared((db: Kysely<ApiKeysTables>, { apiKeyId, key, answer }: UsedKey & { answer: string }) =>
  db.updateTable("idempotency_keys").set({ answer }).where("api_key_id", "=", apiKeyId).where("key", "=", key),
);
