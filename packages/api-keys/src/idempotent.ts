import { createHash } from "node:crypto";
import { type ErrorBody, errorBody } from "@platform/service/errors";
import { type IdempotentResult, withIdempotencyKey } from "@platform/storage/idempotency.repository";
import type { IdempotencyTables } from "@platform/storage/idempotency.table";
import type { Storage, Work } from "@platform/storage/storage";
import type { StatusCode } from "express-operations";
import stableStringify from "safe-stable-stringify";
import { holdsApiKey } from "./api-key.ts";

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

/** The hash of a request in rows of an earlier version, and the status to return, because that version stored only bodies. */
export interface EarlierRows {
  hash: string;
  status: StatusCode;
}

/**
 * Runs the work of a request in one transaction, at most once per caller and `Idempotency-Key` within 24 hours. Without a key,
 * the work runs each time.
 *
 * - A repeat gets the first response with `Idempotency-Replayed: true`. Requests are the same if their operationId, path and
 *   query values and validated body are the same.
 * - A different request with the same key gets 422.
 * - A request gets 409 while the first one still runs.
 *
 * If the work throws or returns a status outside 2xx, the transaction is rolled back and the key stays unused. Throws for
 * uploaded files, which cannot be compared, and for responses of bytes, which cannot be stored.
 */
export async function idempotent<Tables extends IdempotencyTables, HandlerResponse extends StorableResponse>(
  input: IdempotentInput<Tables>,
  work: Work<Tables, HandlerResponse>,
  earlierRows?: () => EarlierRows,
): Promise<Replayable<HandlerResponse> | IdempotencyError> {
  const { operationId, path, query, body, files, caller, context } = input;
  if (files !== undefined) throw new Error(`idempotent() cannot compare the uploaded files of "${operationId}".`);
  const key = input.headers["Idempotency-Key"];
  if (key === undefined) return (await context.write(work, isSuccess)) as Replayable<HandlerResponse>;
  if (holdsApiKey(key)) return { status: 400, body: errorBody("invalid_request", API_KEY_AS_IDEMPOTENCY_KEY) };
  const earlier = earlierRows?.();
  const requestHash = hashOf([operationId, path, query, ...(body === undefined ? [] : [body])]);
  const request = { apiKeyId: caller.id, key, requestHash, earlierHash: earlier?.hash, now: Date.now() };
  const storableWork: typeof work = async (trx) => {
    const response = await work(trx);
    if (response.body instanceof Uint8Array)
      throw new Error(`idempotent() cannot store the response of "${operationId}", whose body is bytes.`);
    return response;
  };
  return responseOf(await withIdempotencyKey(context.write, request, storableWork, isSuccess), earlier?.status);
}

const API_KEY_AS_IDEMPOTENCY_KEY =
  "The Idempotency-Key contains an API key. Send API keys in the Authorization header only.";

function responseOf<HandlerResponse extends StorableResponse>(
  result: IdempotentResult<HandlerResponse>,
  earlierStatus: StatusCode | undefined,
): Replayable<HandlerResponse> | IdempotencyError {
  switch (result.outcome) {
    case "done":
      return result.response as Replayable<HandlerResponse>;
    case "replayed":
      return replayed(result.response);
    case "earlier":
      return replayed({ status: earlierStatus, body: result.response } as HandlerResponse);
    case "reused":
      return { status: 422, body: errorBody("idempotency_key_reused") };
    case "running":
      return { status: 409, headers: { "Retry-After": 1 }, body: errorBody("idempotency_in_progress") };
  }
}

function replayed<HandlerResponse extends StorableResponse>(response: HandlerResponse): Replayable<HandlerResponse> {
  return {
    ...response,
    headers: { ...response.headers, "Idempotency-Replayed": "true" },
  } as unknown as Replayable<HandlerResponse>;
}

function isSuccess({ status }: StorableResponse): boolean {
  return status >= 200 && status < 300;
}

/** Returns a hash that does not depend on the order of fields. The prefix `2:` is the version of the hash function. */
function hashOf(value: unknown[]): string {
  return `2:${createHash("sha256").update(stableStringify(value)).digest("base64url")}`;
}
