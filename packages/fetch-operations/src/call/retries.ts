import type { Attempt, Exchange, Part } from "./exchange.ts";
import { factsOf } from "../operation-error.ts";
import { type CallLimits, type Limits, numbersOf, rejectUnknown, type RetryLimits } from "../options.ts";
import type { ErrorResult } from "../result.ts";
import { attempt } from "./attempt.ts";
import type { Api } from "../api.ts";
import type { OperationDescription } from "../operation.ts";

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
      if (delay === undefined || performance.now() + delay >= end || budget.left < 1) break;
      taken++;
      budget.left--;
      reportRetry(last, delay);
      await pause(delay, options.signal);
    }
    const left = end - performance.now();
    if (!(Math.min(left, settings.attemptTimeout) > 0)) break;
    last = await attempt({ ...given, count: count + 1, isRejected }, settings, left);
  }
  // A success returns its own retries, and a tenth of a retry.
  if (last.result.ok) budget.left = Math.min(limits.retryBudget, budget.left + taken + 0.1);
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

/**
 * The statuses and codes of transient failures: https://www.rfc-editor.org/rfc/rfc9110#section-15 and, for 429, RFC 6585,
 * section 4.
 */
const TRANSIENT: readonly (string | number)[] = [408, 429, 502, 503, 504, "network_error", "timeout"];

/** Returns the milliseconds to wait after attempt `count`, or undefined if the request must not be repeated. */
export function delayBeforeRetry(
  api: Api,
  { isRetryable }: OperationDescription,
  { status, error, response }: ErrorResult,
  count: number,
  { limit, baseDelay, maxDelay, maxRetryAfter }: RetryLimits,
): number | undefined {
  const [code] = factsOf(api, error, status);
  const isTransient = [...TRANSIENT, ...(api.transientCodes ?? [])].some(
    (known) => known === code || known === response?.status,
  );
  if (!isRetryable || !isTransient || count > limit || code === "response_too_large") return undefined;
  const retryAfter = retryAfterOf(response?.headers);
  if (retryAfter > maxRetryAfter) return undefined;
  // "Full jitter" spreads the retries of clients that failed at the same time:
  // https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
  return retryAfter + Math.random() * Math.min(maxDelay, baseDelay * 2 ** (count - 1));
}

/** Returns `Retry-After` (RFC 9110, section 10.2.3: seconds or a date) in milliseconds, or 0 if it is missing or invalid. */
function retryAfterOf(headers: Headers | undefined): number {
  const value = headers?.get("Retry-After")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // The `Date` of the response comes first, because the local clock may be wrong.
  const now = Date.parse(headers?.get("Date") ?? "") || Date.now();
  return Math.max(0, Date.parse(value) - now) || 0;
}

/** Resolves after a number of milliseconds, or as soon as the signal is aborted. */
export async function pause(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}
