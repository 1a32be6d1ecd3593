import { type Fetch, programErrors, sendBy } from "../fetch.ts";
import { numbersOf, type RetryLimits, type RetryOptions } from "../options.ts";

/** The settings of `retry`. */
export interface RetrySettings extends RetryOptions {
  /** No wait goes beyond this number of milliseconds after the first attempt has begun. Default: `Infinity`. */
  timeout?: number;
  /** The retries that may be outstanding without a success, so that a failing service does not get a multiple of its load. */
  budget?: RetryBudget;
  /** Whether a request may be sent again. Default: idempotent methods (RFC 9110, section 9.2.2), and an `Idempotency-Key`. */
  isRepeatable?: (request: Request, init?: RequestInit) => boolean;
  /**
   * Whether a failure may pass. Default: the statuses 408, 429, 502, 503 and 504, also of an error such as `TokenError`, and each
   * error without a status but `TooLargeError` and that of `onProgress`.
   */
  isTransient?: (failure: RetriedFailure) => boolean | Promise<boolean>;
  /** Called before the wait for each retry. */
  onRetry?: ((retry: RetriedFailure & { attempt: number; delay: number }) => void | Promise<void>) | undefined;
}

/** A failed attempt: its response, or the error of `fetch`. */
export interface RetriedFailure {
  response?: Response | undefined;
  error?: unknown;
}

/** The retries that all requests share. A success returns its retries and a tenth of a retry. */
export interface RetryBudget {
  left: number;
  readonly max: number;
}

/** The defaults of retries. */
export const RETRY: RetryLimits = { limit: 3, baseDelay: 300, maxDelay: 5_000, maxRetryAfter: 30_000 };
/** The default of retries that may be outstanding. */
export const RETRY_BUDGET = 100;

/**
 * Returns a `fetch` that repeats a request after a transient failure where this is safe. Bodies are copied before they are sent.
 * Throws a TypeError that names an invalid number.
 */
export function retry(fetch: Fetch, settings: RetrySettings = {}): Fetch {
  const { timeout = Infinity, isRepeatable = isIdempotent, isTransient = isTransientByDefault } = settings;
  const { budget = { left: RETRY_BUDGET, max: RETRY_BUDGET } } = settings;
  return repeat(fetch, { ...settings, timeout, budget, isRepeatable, isTransient });
}

/** The same without defaults that a bundle may not need. */
export function repeat(
  fetch: Fetch,
  settings: RetrySettings & Required<Pick<RetrySettings, "timeout" | "budget" | "isRepeatable" | "isTransient">>,
): Fetch {
  const { timeout, budget, isRepeatable, isTransient, onRetry } = settings;
  const limits = numbersOf(settings, RETRY);
  return async (request, init) => {
    const end = performance.now() + timeout;
    const signal = init?.signal ?? request.signal;
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt > limits.limit || !isRepeatable(request, init);
      const failure: RetriedFailure = {};
      try {
        failure.response = await sendBy(fetch, isLast || request.body === null ? request : request.clone(), init);
      } catch (error) {
        failure.error = error;
      }
      const { response, error } = failure;
      if (response?.ok) {
        // A success returns its own retries, and a tenth of a retry.
        budget.left = Math.min(budget.max, budget.left + attempt - 1 + 0.1);
        return response;
      }
      const delay = delayBeforeRetry(response?.headers, attempt, limits);
      const isRetried = !isLast && !signal.aborted && delay !== undefined && (await isTransient(failure));
      if (!isRetried || performance.now() + delay >= end || budget.left < 1) {
        if (response === undefined) throw error;
        return response;
      }
      budget.left--;
      await onRetry?.({ ...failure, attempt, delay });
      response?.body?.cancel().catch(() => {});
      await pause(delay, signal);
      signal.throwIfAborted();
    }
  };
}

const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "QUERY"]);

function isIdempotent({ method, headers }: Request): boolean {
  return IDEMPOTENT.has(method) || headers.has("Idempotency-Key");
}

/** The statuses of transient failures: https://www.rfc-editor.org/rfc/rfc9110#section-15 and, for 429, RFC 6585, section 4. */
const TRANSIENT = new Set([408, 429, 502, 503, 504]);

/** The default of `isTransient`. */
export function isTransientByDefault({ response, error }: RetriedFailure): boolean {
  const found = Object(response ?? error) as { status?: number; name?: string };
  if (found.status === undefined) return found.name !== "TooLargeError" && !programErrors.has(found);
  return TRANSIENT.has(found.status);
}

/** Returns the milliseconds to wait after attempt `count`, or undefined if the service asks for a longer wait. */
export function delayBeforeRetry(
  headers: Headers | undefined,
  count: number,
  { baseDelay, maxDelay, maxRetryAfter }: RetryLimits,
): number | undefined {
  const retryAfter = retryAfterOf(headers);
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
