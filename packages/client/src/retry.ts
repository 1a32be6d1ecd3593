import type { Refusal } from "./outcome.ts";
import type { Operation } from "./operation.ts";
import type { RetryOptions } from "./options.ts";

/** The statuses and codes of failures that pass: https://www.rfc-editor.org/rfc/rfc9110#section-15 and, for 429, RFC 6585, section 4. */
const PASSING = new Set<string | number>([
  408,
  429,
  502,
  503,
  504,
  "network_error",
  "timeout",
  "idempotency_in_progress",
]);

/** Milliseconds to wait before trying again after attempt `count`; undefined when there is to be no other. */
export function delayBeforeRetry(
  { isRepeatable }: Operation,
  { error, response }: Refusal,
  count: number,
  { baseDelay, maxDelay, maxRetryAfter }: Required<RetryOptions>,
): number | undefined {
  const passes = PASSING.has(error.code) || PASSING.has(response?.status ?? 0);
  if (!isRepeatable || !passes) return undefined;
  const asked = retryAfter(response?.headers);
  if (asked > maxRetryAfter) return undefined;
  // "Full jitter", so that clients that failed together do not return together:
  // https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
  return asked + Math.random() * Math.min(maxDelay, baseDelay * 2 ** (count - 1));
}

/** `Retry-After` in milliseconds, given in seconds or as a date (RFC 9110, section 10.2.3); 0 without one that can be read. */
function retryAfter(headers: Headers | undefined): number {
  const value = headers?.get("Retry-After")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Against the server's own clock, where it says what that shows: ours may be wrong.
  const now = Date.parse(headers?.get("Date") ?? "") || Date.now();
  return Math.max(0, Date.parse(value) - now) || 0;
}
