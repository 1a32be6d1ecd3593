import type { Attempt, Exchange, Part } from "./exchange.ts";
import { factsOf } from "../operation-error.ts";
import { type CallLimits, type Limits, numbersOf, rejectUnknown, type RetryLimits } from "../options.ts";
import type { ErrorResult } from "../response/result-types.ts";
import { attempt } from "./attempt.ts";
import { pause } from "./pause.ts";
import { delayBeforeRetry, repayRetries, takeRetry } from "./retry.ts";

/** The defaults of retries. */
const RETRY: RetryLimits = { limit: 3, baseDelay: 300, maxDelay: 5_000, maxRetryAfter: 30_000 };
/** The default of `retryBudget`. */
const RETRY_BUDGET = 100;

/**
 * Repeats a request after transient failures where the contract makes that safe, and once after a 401 if the credential is a
 * function.
 */
export const retries: Part = {
  options: ["retry", "retryBudget", "onRetry"],
  ofCalls: ["retry"],
  limits: limitsOf,
  repeat,
};

/** Returns the numbers of options, with the defaults. Throws a TypeError that names an invalid or unknown option. */
function limitsOf(options: CallLimits, numbers: Limits): Limits {
  const { retry = {} } = options;
  if (retry !== false && (typeof retry !== "object" || !retry))
    throw new TypeError("retry must be an object or false.");
  rejectUnknown(retry || {}, Object.keys(RETRY), "retry.");
  const defaults = { ...RETRY, retryBudget: RETRY_BUDGET, ...(numbers as Partial<Limits>) } as Limits;
  return numbersOf({ ...options, ...(retry || { limit: 0 }) }, defaults);
}

/** Sends a request, and repeats it after transient failures where the contract makes that safe. */
async function repeat(first: Attempt, settings: Limits): Promise<Exchange> {
  const { api, connection, operation, options } = first;
  const { budget, limits } = connection;
  const given = withKey(first);
  const end = performance.now() + settings.timeout;
  let last = await attempt(given, settings);
  let isRejected = false;
  let taken = 0;
  while (!last.result.ok && !last.isOnce) {
    const { result, count, isRenewable } = last;
    if (isRenewable && !isRejected && result.response?.status === 401) isRejected = true;
    else {
      const delay = delayBeforeRetry(api, operation, result, taken + 1, settings);
      if (delay === undefined || performance.now() + delay >= end || !takeRetry(budget)) break;
      taken++;
      reportRetry(last, delay);
      await pause(delay, options.signal);
    }
    const left = end - performance.now();
    if (!(Math.min(left, settings.attemptTimeout) > 0)) break;
    last = await attempt({ ...given, count: count + 1, isRejected }, settings, left);
  }
  if (last.result.ok) repayRetries(budget, taken, limits.retryBudget);
  return last;
}

function reportRetry({ api, connection, operation, count, result }: Exchange, delay: number): void {
  const { status, error } = result as ErrorResult;
  const [code] = factsOf(api, error, status);
  connection.options().onRetry?.({ operationId: operation.id, attempt: count, delay, status, code });
}

/**
 * Returns a request with one idempotency key for all attempts, so that the service recognises a retry. `crypto.randomUUID` is
 * not used, because browsers have it on HTTPS pages only.
 */
function withKey(given: Attempt): Attempt {
  const { idempotencyKey: name } = given.operation;
  if (name === undefined) return given;
  const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const parts = () => {
    const request = given.parts();
    request.headers = { [name]: key, ...request.headers };
    return request;
  };
  return { ...given, parts };
}
