import { createHash } from "node:crypto";
import { type ErrorBody, errorBody } from "@platform/service/errors";
import { type IdempotentResult, withIdempotencyKey } from "@platform/storage/idempotency.repository";
import type { IdempotencyTables } from "@platform/storage/idempotency.table";
import type { Storage, Work } from "@platform/storage/storage";
import type { StatusCode } from "express-operations";
import stableStringify from "safe-stable-stringify";
import { holdsApiKey } from "./api-key.ts";

/** What is read of a handler's input. */
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

/** A response that can be kept: its body and headers survive JSON. */
interface StorableResponse {
  status: StatusCode;
  headers?: object;
  body?: unknown;
}

/** An answer, or a success that was kept, marked as such. */
type Replayable<Given extends StorableResponse> = Given extends StorableResponse & { status: 200 | 201 | 202 | 204 }
  ? Given | Replayed<Given>
  : Given;
type Replayed<Given extends StorableResponse> = Omit<Given, "headers"> & {
  headers: Given["headers"] & { "Idempotency-Replayed": "true" };
};

/** What is answered in place of the work. */
type IdempotencyError =
  | { status: 400 | 422; body: ErrorBody }
  | { status: 409; headers: { "Retry-After": number }; body: ErrorBody };

/** How the rows of an earlier version are recognised, which kept the body of a success alone. */
export interface EarlierRows {
  hash: string;
  status: StatusCode;
}

/**
 * Does the work of a request in one transaction, once for each `Idempotency-Key` of a caller in 24 hours: a repeat gets the
 * first answer, with `Idempotency-Replayed: true`. A repeat is a request with the same operationId, path and query values and
 * validated body; for another the answer is 422, and 409 while the first is still running. An answer outside 2xx, which the work returns,
 * and a throw roll everything back and leave the key unused. Without a key the work is done each time. Throws for uploaded files, which it
 * does not compare, and for answers that are bytes, which it cannot keep.
 */
export async function idempotent<Tables extends IdempotencyTables, Given extends StorableResponse>(
  input: IdempotentInput<Tables>,
  work: Work<Tables, Given>,
  earlier?: EarlierRows,
): Promise<Replayable<Given> | IdempotencyError> {
  const { operationId, path, query, body, files, caller, context } = input;
  if (files !== undefined) throw new Error(`"${operationId}" has files, which idempotent() does not compare.`);
  const key = input.headers["Idempotency-Key"];
  if (key === undefined) return (await context.write(work, isSuccess)) as Replayable<Given>;
  if (holdsApiKey(key)) return { status: 400, body: errorBody("invalid_request", API_KEY_AS_IDEMPOTENCY_KEY) };
  const requestHash = hashOf([operationId, path, query, ...(body === undefined ? [] : [body])]);
  const request = { apiKeyId: caller.id, key, requestHash, earlierHash: earlier?.hash, now: Date.now() };
  const keepable: typeof work = async (trx) => {
    const answer = await work(trx);
    if (answer.body instanceof Uint8Array)
      throw new Error(`"${operationId}" answers with bytes, which cannot be kept.`);
    return answer;
  };
  return answerOf(await withIdempotencyKey(context.write, request, keepable, isSuccess), earlier?.status);
}

const API_KEY_AS_IDEMPOTENCY_KEY = "The Idempotency-Key contains an API key. Send API keys in the Authorization header only.";

function answerOf<Given extends StorableResponse>(
  result: IdempotentResult<Given>,
  earlierStatus: StatusCode | undefined,
): Replayable<Given> | IdempotencyError {
  switch (result.outcome) {
    case "done":
      return result.answer as Replayable<Given>;
    case "replayed":
      return replayed(result.answer);
    case "earlier":
      return replayed({ status: earlierStatus, body: result.answer } as Given);
    case "reused":
      return { status: 422, body: errorBody("idempotency_key_reused") };
    case "running":
      return { status: 409, headers: { "Retry-After": 1 }, body: errorBody("idempotency_in_progress") };
  }
}

function replayed<Given extends StorableResponse>(answer: Given): Replayable<Given> {
  return { ...answer, headers: { ...answer.headers, "Idempotency-Replayed": "true" } } as unknown as Replayable<Given>;
}

function isSuccess({ status }: StorableResponse): boolean {
  return status >= 200 && status < 300;
}

/** The same for values that differ only in the order of fields. Begins with the version of this rule. */
function hashOf(value: unknown[]): string {
  return `2:${createHash("sha256").update(stableStringify(value)).digest("base64url")}`;
}
