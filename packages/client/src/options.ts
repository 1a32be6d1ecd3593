/** The address and key of the service, and the settings of all calls. */
export interface PetstoreOptions extends CallLimits {
  /** The URL of the service with its version: `https://api.petstore.example/v1`. It has no credentials, query or fragment. */
  baseUrl: string | URL;
  /** The API key. The client sends it as a bearer token (RFC 6750) with every call, to the origin of `baseUrl` only. */
  apiKey: string;
  /** Sends a request. Replace it to observe or change requests and responses. Default: the runtime's `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Called before the wait for each retry. */
  onRetry?: (retry: Retry) => void;
  /** Called once for each deprecated operation. Default: one `console.warn`. `false` turns it off. */
  onDeprecated?: ((deprecation: Deprecation) => void) | false;
}

/** The options of one call. They override the client's options. */
export interface CallOptions extends CallLimits {
  /** Ends the call, even during a wait. The result is a failure with the code `aborted`. */
  signal?: AbortSignal;
  /** Additional request headers, such as `traceparent`. */
  headers?: Record<string, string>;
}

/** The time limits of a call, in milliseconds, and its retries. */
export interface CallLimits {
  /** The limit of the whole call, with its retries and waits, in milliseconds. Default: 60,000. `Infinity` for no limit. */
  timeout?: number;
  /** The limit of each attempt, to the end of the body, in milliseconds. Default: 15,000. `Infinity` for no limit. */
  attemptTimeout?: number;
  /** The settings of retries; `false` for none. Only operations that are safe to repeat are retried. */
  retry?: RetryOptions | false;
}

/**
 * The settings of retries. The wait before retry n is random, at most `baseDelay` × 2ⁿ⁻¹ and `maxDelay` ("full jitter"). A
 * `Retry-After` of the response (RFC 9110, section 10.2.3) is added to it.
 */
export interface RetryOptions {
  /** The number of retries after the first attempt. Default: 3. */
  limit?: number;
  /** The upper bound of the first random wait, in milliseconds. Default: 300. */
  baseDelay?: number;
  /** The upper bound of every random wait, in milliseconds. Default: 5,000. */
  maxDelay?: number;
  /** The longest `Retry-After` that the client waits for, in milliseconds. A longer one ends the call. Default: 30,000. */
  maxRetryAfter?: number;
}

/** The failed attempt and the wait before the next one, passed to `onRetry`. */
export interface Retry {
  operationId: string;
  /** The number of the attempt that failed: 1 for the first. */
  attempt: number;
  /** The wait before the next attempt, in milliseconds. */
  delay: number;
  /** The status of the response, or 0 without a valid response. */
  status: number;
  /** The code of the contract's `Error`, or a `FailureCode`. */
  code: string;
}

/** A deprecated operation, passed to `onDeprecated`. */
export interface Deprecation {
  operationId: string;
  /** The date from which the operation is deprecated (RFC 9745); it may be in the future. */
  deprecatedAt: Date | undefined;
  /** The date of the removal (RFC 8594). */
  sunset: Date | undefined;
  /** The replacement: an operationId, or the target of the `successor-version` link if the contract names none. */
  successor: string | undefined;
}

/** The time limits and retries of a call, with defaults. */
export interface Limits {
  timeout: number;
  attemptTimeout: number;
  retry: Required<RetryOptions>;
}

const DEFAULTS: Limits = {
  timeout: 60_000,
  attemptTimeout: 15_000,
  retry: { limit: 3, baseDelay: 300, maxDelay: 5_000, maxRetryAfter: 30_000 },
};

/** Returns `given` with the defaults of `base`. Throws a TypeError that names the invalid option. */
export function limits(given: CallLimits, base: Limits = DEFAULTS): Limits {
  const { timeout = base.timeout, attemptTimeout = base.attemptTimeout } = given;
  const retry = { ...base.retry, ...(given.retry === false ? { limit: 0 } : given.retry) };
  for (const [name, value] of Object.entries({ timeout, attemptTimeout, ...retry })) {
    if (typeof value !== "number" || !(value >= 0)) throw new TypeError(`${name} must be a number of at least 0.`);
  }
  return { timeout, attemptTimeout, retry };
}
