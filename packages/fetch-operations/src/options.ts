import type { Fetch } from "./fetch.ts";
import type { Credential } from "./parts/authentication.ts";

/** The address of the service, its credentials and the settings of all calls. */
export interface ClientOptions extends CallLimits {
  /**
   * The URL of the service: `https://api.example.com/v1`. It has no credentials, query or fragment. All calls go there, with
   * their credentials, except those that `servers` sends elsewhere.
   */
  baseUrl: string | URL;
  /**
   * The URLs for operations with a server of their own, by the URL of that server in the contract. Their calls go there, with
   * their credentials. Without an entry, they go to `baseUrl`.
   */
  servers?: Readonly<Record<string, string | URL>> | undefined;
  /** The credentials by security scheme, sent to `baseUrl` and `servers` only. */
  credentials?: Readonly<Record<string, Credential | undefined>> | undefined;
  /** Sends a request, as the runtime's `fetch` does. Replace it to observe or change requests and responses. */
  fetch?: Fetch | undefined;
  /** Additional options of `fetch`, such as `dispatcher` (Node), `proxy` (Bun), `client` (Deno), `credentials` or `cache`. */
  fetchOptions?: object | undefined;
  /** Headers of every request. The headers of a call override them. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The largest body of a response that is read into memory, in bytes. Default: 104,857,600 (100 MiB). */
  maxResponseBytes?: number | undefined;
  /**
   * The retries that may be outstanding without a success, shared by all calls of the client. Default: 100. A successful call
   * returns the retries that it took and a tenth of a retry. `Infinity` for no bound.
   */
  retryBudget?: number | undefined;
  /** The `User-Agent` of requests, or false for none. Default: name and version of the client and of the runtime; none in browsers. */
  userAgent?: string | false | undefined;
  /** Called before each attempt. It may change the headers. They do not contain credentials yet. */
  onRequest?: ((request: RequestEvent) => void | Promise<void>) | undefined;
  /** Called after each attempt with a response, before its body is read. */
  onResponse?: ((response: ResponseEvent) => void | Promise<void>) | undefined;
  /** Called before the wait for each retry. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Called once for each deprecated operation. Default: one `console.warn`. `false` turns it off. */
  onDeprecated?: ((deprecation: Deprecation) => void) | false | undefined;
}

/** The options of one call. They override the client's options. */
export interface CallOptions extends CallLimits {
  /** Ends the call, even during a wait. The result is a failure with the code `aborted`. */
  signal?: AbortSignal | null | undefined;
  /** Additional request headers, such as `traceparent`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sends the requests of this call, in place of the client's `fetch`. */
  fetch?: Fetch | undefined;
  /** The URL of the service for this call, in place of `baseUrl` and `servers` of the client. Credentials are sent there. */
  baseUrl?: string | URL | undefined;
  /** The credentials of this call by security scheme, in place of those of the client. */
  credentials?: Readonly<Record<string, Credential | undefined>> | undefined;
}

/** The time limits of a call, in milliseconds, and its retries. */
export interface CallLimits {
  /** The limit of the whole call, with its retries and waits, in milliseconds. Default: 60,000. `Infinity` for no limit. */
  timeout?: number | undefined;
  /** The limit of each attempt, to the end of the body, in milliseconds. Default: 15,000. `Infinity` for no limit. */
  attemptTimeout?: number | undefined;
  /**
   * The longest wait for the next bytes of a response, in milliseconds: also of a stream, to which the other limits apply until its head
   * only. Default: `Infinity`, which is no limit.
   */
  idleTimeout?: number | undefined;
  /** The settings of retries; `false` for none. Only operations that are safe to repeat are retried. */
  retry?: RetryOptions | false | undefined;
}

/**
 * The settings of retries. The wait before retry n is random, at most `baseDelay` × 2ⁿ⁻¹ and `maxDelay` ("full jitter"). A
 * `Retry-After` of the response (RFC 9110, section 10.2.3) is added to it.
 */
export interface RetryOptions {
  /** The number of retries after the first attempt. Default: 3. */
  limit?: number | undefined;
  /** The upper bound of the first random wait, in milliseconds. Default: 300. */
  baseDelay?: number | undefined;
  /** The upper bound of every random wait, in milliseconds. Default: 5,000. */
  maxDelay?: number | undefined;
  /** The longest `Retry-After` that is waited for, in milliseconds. A longer one ends the retries. Default: 30,000. */
  maxRetryAfter?: number | undefined;
}

/** A request before it is sent, passed to `onRequest`. */
export interface RequestEvent {
  operationId: string;
  /** 1 for the first attempt. */
  attempt: number;
  method: string;
  url: string;
  headers: Headers;
}

/** A response, passed to `onResponse`. */
export interface ResponseEvent {
  operationId: string;
  attempt: number;
  method: string;
  url: string;
  /** The time from the request to the head of the response, in milliseconds. */
  duration: number;
  /** Read a clone of it only, because the client reads the body. */
  response: Response;
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
  /** The code of the contract's error, or a `FailureCode`. */
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

/** The settings of retries, with defaults. */
export type RetryLimits = Record<keyof RetryOptions, number>;

/** The numbers among the options, with defaults. Those of a part are missing in a connection without it. */
export type Limits = RetryLimits &
  Record<"timeout" | "attemptTimeout" | "idleTimeout" | "maxResponseBytes" | "retryBudget", number>;

/** The defaults of a connection without optional parts. */
export const LIMITS = { timeout: 60_000, attemptTimeout: 15_000, maxResponseBytes: 104_857_600 } as Limits;

/** Returns numbers, with those that are among the options. Throws a TypeError that names an invalid one. */
export function numbersOf<Numbers extends object>(options: object, numbers: Numbers): Numbers {
  const merged = { ...numbers } as Record<string, unknown>;
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (!(name in numbers) || value === undefined) continue;
    if (typeof value !== "number" || !(value >= 0)) throw new TypeError(`${name} must be a number of at least 0.`);
    merged[name] = value;
  }
  return merged as Numbers;
}

/** Throws a TypeError that names an option that does not exist. */
export function rejectUnknown(given: object, known: readonly string[], prefix = ""): void {
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw new TypeError(`There is no option ${prefix}${name}. The options are ${known.join(", ")}.`);
}

/** Returns a URL without a slash at its end. Throws a TypeError if it is not the URL of a service. */
export function addressOf(option: string, url: string | URL): string {
  const { location } = globalThis as { location?: { href: string } };
  // In browsers, `/api` is below the origin of the page.
  const isRelative = location !== undefined && /^\/(?!\/)/.test(String(url));
  const address = (isRelative ? new URL(url, location.href).href : String(url)).replace(/\/+$/, "");
  if (!/^https?:\/\/[^?#@]+$/i.test(address) || !URL.canParse(address))
    throw new TypeError(`${option} is not a service URL. Pass one such as https://api.petstore.example/v1.`);
  return address;
}
