import { attempt, type Exchange, type Message } from "./attempt.ts";
import type { Connection } from "./connection.ts";
import { tellDeprecation } from "./deprecation.ts";
import type { ByOperation } from "./generated/calls.ts";
import { messageOf } from "./message.ts";
import type { Operation, OperationId } from "./operation.ts";
import { type CallOptions, limits } from "./options.ts";
import { pause } from "./pause.ts";
import { PetstoreError } from "./petstore-error.ts";
import type { Call, Data, Result } from "./result.ts";
import { delayBeforeRetry } from "./retry.ts";

/** Longer timers fire at once: https://developer.mozilla.org/docs/Web/API/Window/setTimeout#maximum_delay_value */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls an operation with its arguments by name. */
export function call<Id extends OperationId>(
  connection: Connection,
  operation: Operation<Id>,
  ...[input, options]: Parameters<ByOperation[Id]>
): Call<Id> {
  return send(connection, operation, messageOf(operation, input), options);
}

/** Calls an operation with a message that is already sorted into places. */
export function send<Id extends OperationId>(
  connection: Connection,
  operation: Operation<Id>,
  message: Message,
  options?: CallOptions,
): Call<Id> {
  const exchanged = exchange(connection, operation, message, options);
  // That the answer has the declared shape is the service's promise; only what it takes to tell a success is checked.
  const result = exchanged.then(({ outcome }) => outcome as Result<Id>);
  const orThrow = async (): Promise<Data<Id>> => {
    await result; // which handles its rejection
    return dataOf(operation, await exchanged) as Data<Id>;
  };
  return Object.assign(result, { orThrow });
}

/** The data of a success; throws a `PetstoreError` for anything else. */
export function dataOf(operation: Operation, { outcome, url }: Exchange): unknown {
  if (outcome.ok) return outcome.data;
  throw new PetstoreError(operation, url, outcome);
}

/** Sends a message to an operation, and again where the contract lets it and that may help. */
export async function exchange(
  connection: Connection,
  operation: Operation,
  message: Message,
  options: CallOptions = {},
): Promise<Exchange> {
  const { timeout, attemptTimeout, retry } = limits(options, connection.limits);
  const { signal } = options;
  const end = performance.now() + timeout;
  const headers = { ...idempotencyKey(operation), ...message.headers, ...options.headers };
  for (let count = 1; ; count++) {
    const time = Math.min(attemptTimeout, end - performance.now(), LONGEST_TIMER);
    const exchanged = await attempt(connection, operation, { ...message, headers }, time, signal);
    const { outcome } = exchanged;
    const delay = outcome.ok || count > retry.limit ? undefined : delayBeforeRetry(operation, outcome, count, retry);
    if (outcome.ok || delay === undefined || performance.now() + delay >= end) {
      tellDeprecation(connection, operation, outcome.response?.headers);
      return exchanged;
    }
    const { status, error } = outcome;
    connection.onRetry?.({ operationId: operation.id, attempt: count, delay, status, code: error.code });
    await pause(delay, signal);
  }
}

/** One for each call, so that its retries are known as such. `crypto.randomUUID` is missing where a page is not HTTPS. */
function idempotencyKey({ parameters }: Operation): Record<string, string> {
  if (!("Idempotency-Key" in parameters)) return {};
  return { "Idempotency-Key": crypto.getRandomValues(new Uint32Array(4)).join("-") };
}
