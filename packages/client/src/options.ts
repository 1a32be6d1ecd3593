/** How to reach the service, and how to deal with what goes wrong. */
export interface PetstoreOptions extends CallLimits {
  /** Where the service is, with its version: `https://api.petstore.example/v1`. Without credentials, query and fragment. */
  baseUrl: string | URL;
  /** The API key, sent as a bearer token with every request, to the origin of `baseUrl` alone. */
  apiKey: string;
  /** Sends a request: wrap it to see or change requests and answers. Default: the runtime's `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Called before each wait for another attempt. */
  onRetry?: (retry: Retry) => void;
  /** Called once for each operation that turns out to be deprecated. Default: one `console.warn`; `false` for silence. */
  onDeprecated?: ((deprecation: Deprecation) => void) | false;
}

/** What one call may say in place of the client's own settings. */
export interface CallOptions extends CallLimits {
  /** Ends the call, whatever it is doing. */
  signal?: AbortSignal;
  /** Sent with the request, such as `traceparent`. */
  headers?: Record<string, string>;
}

/** How long a call may take, in milliseconds, and what it does about failures that pass. */
export interface CallLimits {
  /** For the whole call, with its retries and the waits between them. Default: 60,000. `Infinity` for no limit. */
  timeout?: number;
  /** For each attempt, from the request to the end of the body. Default: 15,000. `Infinity` for no limit. */
  attemptTimeout?: number;
  /** `false` for one attempt. Whatever is set, only what the contract lets repeat is. */
  retry?: RetryOptions | false;
}

/** When to try again. The wait before retry n is random, up to `baseDelay` × 2ⁿ⁻¹ or `maxDelay` ("full jitter"). */
export interface RetryOptions {
  /** Retries after the first attempt. Default: 3. */
  limit?: number;
  /** Milliseconds. Default: 300. */
  baseDelay?: number;
  /** Milliseconds. Default: 5,000. */
  maxDelay?: number;
  /** The longest `Retry-After` that is waited for, in milliseconds; beyond it the answer stands. Default: 30,000. */
  maxRetryAfter?: number;
}

/** An attempt that failed and will be repeated. */
export interface Retry {
  operationId: string;
  /** The number of the attempt that failed: 1 for the first. */
  attempt: number;
  /** Milliseconds until the next. */
  delay: number;
  /** The status of the answer, or 0. */
  status: number;
  /** The code of the answer's error, or a `FailureCode`. */
  code: string;
}

/** What `onDeprecated` is told. */
export interface Deprecation {
  operationId: string;
  /** Since when, or from when on. */
  deprecatedAt: Date | undefined;
  /** When the operation will be removed. */
  sunset: Date | undefined;
  /** The replacement: an operationId of the contract, or a URL where only the service names one. */
  successor: string | undefined;
}

/** The limits of a call, all of them set. */
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

/** `given` over `base`. Throws a TypeError that names what cannot be. */
export function limits(given: CallLimits, base: Limits = DEFAULTS): Limits {
  const { timeout = base.timeout, attemptTimeout = base.attemptTimeout } = given;
  const retry = { ...base.retry, ...(given.retry === false ? { limit: 0 } : given.retry) };
  for (const [name, value] of Object.entries({ timeout, attemptTimeout, ...retry })) {
    if (typeof value !== "number" || !(value >= 0)) throw new TypeError(`${name} must be a number of at least 0.`);
  }
  return { timeout, attemptTimeout, retry };
}
