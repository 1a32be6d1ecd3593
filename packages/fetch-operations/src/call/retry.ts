import type { Api } from "../api.ts";
import { factsOf } from "../operation-error.ts";
import type { OperationDescription } from "../operation.ts";
import type { RetryLimits } from "../options.ts";
import type { ErrorResult } from "../response/result-types.ts";

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

/** The retries that may be outstanding without a success. */
export interface RetryBudget {
  left: number;
}

/** Takes a retry from the budget. Returns false if none is left. */
export function takeRetry(budget: RetryBudget): boolean {
  if (budget.left < 1) return false;
  budget.left--;
  return true;
}

/** A success returns the retries that its call took, and a tenth of a retry, up to the size of the budget. */
export function repayRetries(budget: RetryBudget, taken: number, size: number): void {
  budget.left = Math.min(size, budget.left + taken + 0.1);
}

/** Returns `Retry-After` (RFC 9110, section 10.2.3: seconds or a date) in milliseconds, or 0 if it is missing or invalid. */
function retryAfterOf(headers: Headers | undefined): number {
  const value = headers?.get("Retry-After")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // The `Date` of the response comes first, because the local clock may be wrong.
  const now = Date.parse(headers?.get("Date") ?? "") || Date.now();
  return Math.max(0, Date.parse(value) - now) || 0;
}
