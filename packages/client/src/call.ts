import { attempt, type Exchange, type RequestParts } from "./attempt.ts";
import type { Connection } from "./connection.ts";
import { reportDeprecation } from "./deprecation.ts";
import type { ByOperation } from "./generated/calls.ts";
import type { Operation, OperationId } from "./operation.ts";
import { type CallOptions, limits } from "./options.ts";
import { pause } from "./pause.ts";
import { PetstoreError } from "./petstore-error.ts";
import { requestPartsOf } from "./request-parts.ts";
import type { Call, Data, Result } from "./result.ts";
import { delayBeforeRetry } from "./retry.ts";

/** Longer timers fire at once: https://developer.mozilla.org/docs/Web/API/Window/setTimeout#maximum_delay_value */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls an operation. The input has the parameters and the fields of the body side by side. */
export function call<Id extends OperationId>(
  connection: Connection,
  operation: Operation<Id>,
  ...[input, options]: Parameters<ByOperation[Id]>
): Call<Id> {
  return send(connection, operation, requestPartsOf(operation, input), options);
}

/** Calls an operation with the parts of its request. */
export function send<Id extends OperationId>(
  connection: Connection,
  operation: Operation<Id>,
  parts: RequestParts,
  options?: CallOptions,
): Call<Id> {
  const exchange = sendWithRetries(connection, operation, parts, options);
  // The service guarantees the declared shape; the client checks only what distinguishes a success from an error.
  const typed = exchange.then(({ result }) => result as Result<Id>);
  const orThrow = async (): Promise<Data<Id>> => {
    await typed; // so that a rejection of `typed` has a handler
    return dataOrThrow(operation, await exchange) as Data<Id>;
  };
  return Object.assign(typed, { orThrow });
}

/** Returns the data of a success. Throws a `PetstoreError` for any other result. */
export function dataOrThrow(operation: Operation, { result, url }: Exchange): unknown {
  if (result.ok) return result.data;
  throw new PetstoreError(operation, url, result);
}

/** Sends a request, and repeats it after transient failures where the contract makes that safe. */
export async function sendWithRetries(
  connection: Connection,
  operation: Operation,
  parts: RequestParts,
  options: CallOptions = {},
): Promise<Exchange> {
  const { timeout, attemptTimeout, retry } = limits(options, connection.limits);
  const { signal } = options;
  const end = performance.now() + timeout;
  const headers = { ...idempotencyKey(operation), ...parts.headers, ...options.headers };
  for (let count = 1; ; count++) {
    const time = Math.min(attemptTimeout, end - performance.now(), LONGEST_TIMER);
    const exchange = await attempt(connection, operation, { ...parts, headers }, time, signal);
    const { result } = exchange;
    const delay = result.ok || count > retry.limit ? undefined : delayBeforeRetry(operation, result, count, retry);
    if (result.ok || delay === undefined || performance.now() + delay >= end) {
      reportDeprecation(connection, operation, result.response?.headers);
      return exchange;
    }
    const { status, error } = result;
    connection.onRetry?.({ operationId: operation.id, attempt: count, delay, status, code: error.code });
    await pause(delay, signal);
  }
}

/**
 * Generates one key for each call, so that the service recognises its retries. `crypto.randomUUID` is not used, because
 * browsers have it on HTTPS pages only.
 */
function idempotencyKey({ parameters }: Operation): Record<string, string> {
  if (!("Idempotency-Key" in parameters)) return {};
  return { "Idempotency-Key": crypto.getRandomValues(new Uint32Array(4)).join("-") };
}
