import type { Connection } from "../connection.ts";
import { reportDeprecation } from "../deprecation.ts";
import { codeOf } from "../operation-error.ts";
import type { Operation, OperationDescription } from "../operation.ts";
import { type CallOptions, limits, rejectUnknown } from "../options.ts";
import { type RequestParts, requestPartsOf } from "../request/request-parts.ts";
import { failure } from "../response/untyped-result.ts";
import type { Call, DataOf } from "../result.ts";
import { attempt } from "./attempt.ts";
import type { Exchange } from "./exchange.ts";
import { pause } from "./pause.ts";
import { delayBeforeRetry } from "./retry.ts";

/** Longer timers fire at once: https://developer.mozilla.org/docs/Web/API/Window/setTimeout#maximum_delay_value */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls an operation. The input has the parameters and the fields of the body side by side. */
export function call<Args extends unknown[], Result>(
  connection: Connection,
  operation: Operation<Args, Result>,
  ...args: Args
): Call<Result> {
  const [input, options] = args as unknown[] as [object | undefined, CallOptions | undefined];
  return callWith(connection, operation, () => requestPartsOf(operation, input), options);
}

/** Calls an operation and resolves to the response of a success, with its body unread. Rejects as `orThrow()` does. */
export async function raw<Args extends unknown[]>(
  connection: Connection,
  operation: Operation<Args>,
  ...args: Args
): Promise<Response> {
  const [input, options] = args as unknown[] as [object | undefined, CallOptions | undefined];
  const exchange = await send(connection, operation, () => requestPartsOf(operation, input), options, true);
  return dataOrThrow(connection, operation, exchange) as Response;
}

/** Calls an operation with the parts of its request, which may throw. */
export function callWith<Result>(
  connection: Connection,
  operation: OperationDescription,
  parts: () => RequestParts,
  options?: CallOptions,
): Call<Result> {
  const exchange = send(connection, operation, parts, options);
  // The service guarantees the declared shape; the client checks only what distinguishes a success from an error.
  const typed = exchange.then(({ result }) => result as Result);
  const orThrow = async (): Promise<DataOf<Result>> => {
    await typed; // so that a rejection of `typed` has a handler
    return dataOrThrow(connection, operation, await exchange) as DataOf<Result>;
  };
  return Object.assign(typed, { orThrow });
}

/** Returns the data of a success. Throws the error of the contract for any other result. */
export function dataOrThrow(connection: Connection, operation: OperationDescription, exchange: Exchange): unknown {
  if (exchange.result.ok) return exchange.result.data;
  throw errorOf(connection, operation, exchange);
}

function errorOf({ api }: Connection, operation: OperationDescription, { result, url }: Exchange): Error {
  return new api.error(api, operation, url, result as Exclude<typeof result, { ok: true }>);
}

/** Sends a request, and repeats it after transient failures where the contract makes that safe. */
export async function send(
  connection: Connection,
  operation: OperationDescription,
  parts: () => RequestParts,
  options: CallOptions | null = {},
  isRaw = false,
): Promise<Exchange> {
  const { timeout, attemptTimeout, retry, signal, headers, ...rest } = options ?? {};
  rejectUnknown(rest, ["timeout", "attemptTimeout", "retry", "signal", "headers"]);
  const hasLimits = timeout !== undefined || attemptTimeout !== undefined || retry !== undefined;
  const settings = hasLimits ? limits({ timeout, attemptTimeout, retry }, connection.limits) : connection.limits;
  const end = performance.now() + settings.timeout;
  let request: RequestParts;
  try {
    request = parts();
  } catch (cause) {
    const message = `A value of the request cannot be sent. ${(cause as Error).message}`;
    return { result: failure(connection.api, "unsendable_request", message, cause) };
  }
  const given = { ...idempotencyKey(operation), ...request.headers, ...headers };
  const resend = async (added: Record<string, string>): Promise<Response> => {
    const again = { ...options, headers: { ...given, ...added } };
    return dataOrThrow(
      connection,
      operation,
      await send(connection, operation, () => request, again, true),
    ) as Response;
  };
  let isRejected = false;
  const late = "The complete response did not arrive in time.";
  let last: Exchange = { result: failure(connection.api, "timeout", late, undefined) };
  for (let count = 1, retries = 0; ; count++) {
    const milliseconds = Math.min(settings.attemptTimeout, end - performance.now(), LONGEST_TIMER);
    if (!(milliseconds > 0)) return last;
    const exchange = await attempt(connection, operation, {
      parts: request,
      headers: given,
      count,
      milliseconds,
      signal: signal ?? undefined,
      isRejected,
      isRaw,
      resend,
    });
    last = exchange;
    const { result } = exchange;
    const isDone = result.ok || exchange.isOnce;
    if (!isDone && exchange.isRenewable && !isRejected && result.response?.status === 401) {
      isRejected = true;
      continue;
    }
    const delay =
      isDone || retries >= settings.retry.limit
        ? undefined
        : delayBeforeRetry(connection.api, operation, result, retries + 1, settings.retry);
    if (result.ok || delay === undefined || performance.now() + delay >= end || !connection.budget.take()) {
      if (result.ok) connection.budget.refund(retries);
      reportDeprecation(connection, operation, result.response?.headers);
      return exchange;
    }
    retries++;
    const { status, error } = result;
    const code = codeOf(connection.api, error, status);
    connection.options.onRetry?.({ operationId: operation.id, attempt: count, delay, status, code });
    await pause(delay, signal ?? undefined);
  }
}

/**
 * Generates one key for each call, so that the service recognises its retries. `crypto.randomUUID` is not used, because
 * browsers have it on HTTPS pages only.
 */
function idempotencyKey({ idempotencyKey: name }: OperationDescription): Record<string, string> {
  return name === undefined ? {} : { [name]: crypto.getRandomValues(new Uint32Array(4)).join("-") };
}
