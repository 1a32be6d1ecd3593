import type { Connection } from "../connection.ts";
import { reportDeprecation } from "../deprecation.ts";
import { factsOf } from "../operation-error.ts";
import type { Operation, OperationDescription } from "../operation.ts";
import { CALL_OPTIONS, type CallOptions, limits } from "../options.ts";
import { type RequestParts, requestPartsOf } from "../request/request-parts.ts";
import type { ErrorResult } from "../response/result-types.ts";
import type { Call, DataOf } from "../result.ts";
import { attempt } from "./attempt.ts";
import type { Exchange } from "./exchange.ts";
import { errorOf } from "./failure.ts";
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
  return dataOrThrow(
    await send(connection, operation, () => requestPartsOf(operation, input), options, true),
  ) as Response;
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
    return dataOrThrow(await exchange) as DataOf<Result>;
  };
  return Object.assign(typed, { orThrow });
}

/** Returns the data of a success. Throws the error of the contract for any other result. */
export function dataOrThrow(exchange: Pick<Exchange, "api" | "operation" | "url" | "result">): unknown {
  if (exchange.result.ok) return exchange.result.data;
  throw errorOf(exchange);
}

/** Sends a request, and repeats it after transient failures where the contract makes that safe. */
export async function send(
  connection: Connection,
  operation: OperationDescription,
  parts: () => RequestParts,
  options?: CallOptions | null,
  isRaw = false,
): Promise<Exchange> {
  const { api, budget } = connection;
  const settings = options ? limits(options, CALL_OPTIONS, connection.limits) : connection.limits;
  const end = performance.now() + settings.timeout;
  const given = { api, connection, operation, isRaw, options: options ?? {}, parts: once(operation, parts, options) };
  let isRejected = false;
  let last: Exchange | undefined;
  for (let count = 1, retries = 0; ; count++) {
    const milliseconds = Math.min(settings.attemptTimeout, end - performance.now(), LONGEST_TIMER);
    if (last && !(milliseconds > 0)) return last;
    last = await attempt({ ...given, limit: connection.limits.maxResponseBytes, count, isRejected }, milliseconds);
    const { result, isRenewable, isOnce } = last;
    if (!result.ok && !isOnce && isRenewable && !isRejected && result.response?.status === 401) isRejected = true;
    else {
      const delay = result.ok || isOnce ? undefined : delayBeforeRetry(api, operation, result, retries + 1, settings);
      if (delay === undefined || performance.now() + delay >= end || budget.left < 1) {
        // A success returns the retries that its call took, and a tenth of a retry.
        if (result.ok) budget.left = Math.min(connection.limits.retryBudget, budget.left + retries + 0.1);
        reportDeprecation(connection, operation, result.response?.headers);
        return last;
      }
      retries++;
      budget.left--;
      reportRetry(last, delay);
      await pause(delay, options?.signal);
    }
  }
}

function reportRetry({ api, connection, operation, count, result }: Exchange, delay: number): void {
  const { status, error } = result as ErrorResult;
  const [code] = factsOf(api, error, status);
  connection.options.onRetry?.({ operationId: operation.id, attempt: count, delay, status, code });
}

/**
 * Returns a function that serializes the request once, with one idempotency key for all attempts, so that the service recognises
 * a retry. `crypto.randomUUID` is not used, because browsers have it on HTTPS pages only.
 */
function once(
  { idempotencyKey: name }: OperationDescription,
  parts: () => RequestParts,
  options?: CallOptions | null,
): () => RequestParts {
  let request: RequestParts | undefined;
  return () => {
    if (!request) {
      const key = name === undefined ? {} : { [name]: crypto.getRandomValues(new Uint32Array(4)).join("-") };
      request = parts();
      request.headers = { ...key, ...request.headers, ...options?.headers };
    }
    return request;
  };
}
