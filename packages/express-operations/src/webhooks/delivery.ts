import { setTimeout as delay } from "node:timers/promises";
import { WebhookDeliveryError } from "./errors.ts";

/** How often a message is sent, and how long to wait between attempts, in milliseconds. */
export interface RetryOptions {
  /** The most attempts. Default: 3. */
  attempts?: number;
  /** The wait after the first attempt. It doubles with each attempt, and is shortened by up to half at random. Default: 1,000. */
  delay?: number;
  /** The longest wait. If `Retry-After` is longer, the message is not sent again. Default: 30,000. */
  maxDelay?: number;
}

/** A message to deliver. `headers` returns the headers of an attempt, signed at its time. */
export interface Message {
  webhook: string;
  id: string;
  url: URL;
  method: string;
  body: string | Uint8Array | undefined;
  headers: () => Headers | Promise<Headers>;
}

/** The settings of a delivery. */
export interface DeliveryOptions {
  fetch: typeof globalThis.fetch;
  timeout: number;
  retry: Required<RetryOptions>;
  signal: AbortSignal | undefined;
}

/** The last response, with its body unless it is too large. */
interface ReceivedResponse {
  status: number;
  headers: Headers;
  text: string | undefined;
  attempts: number;
  /** The milliseconds that the receiver asked to wait. */
  retryAfter: number | undefined;
}

/** The most bytes of a response that are read. */
const RESPONSE_LIMIT = 65_536;

/**
 * Sends a message until a receiver responds with a status other than 408, 429 and 5xx, or the attempts are used up.
 * Redirects are not followed (Standard Webhooks 1.0, "Delivery success and failure"). Rejects with a
 * `WebhookDeliveryError` if the last attempt got no response, and with the reason of `signal` if it is aborted.
 */
export async function deliver(message: Message, options: DeliveryOptions): Promise<ReceivedResponse> {
  const { retry, signal } = options;
  for (let attempts = 1; ; attempts++) {
    signal?.throwIfAborted();
    const outcome = await attempt(message, options);
    const isLast = attempts >= retry.attempts;
    if ("error" in outcome) {
      if (isLast) throw undelivered(message, attempts, outcome.error);
    } else if (isLast || !isTemporary(outcome.status) || (outcome.retryAfter ?? 0) > retry.maxDelay) {
      return { ...outcome, attempts };
    }
    const wait = Math.max(backoff(attempts, retry), "error" in outcome ? 0 : (outcome.retryAfter ?? 0));
    await delay(wait, undefined, { ...(signal && { signal }) }).catch(() => signal!.throwIfAborted());
  }
}

async function attempt(
  { url, method, body, headers }: Message,
  { fetch, timeout, signal }: DeliveryOptions,
): Promise<Omit<ReceivedResponse, "attempts"> | { error: unknown }> {
  const own = AbortSignal.timeout(timeout);
  const given = await headers();
  try {
    const response = await fetch(url, {
      method,
      headers: given,
      redirect: "manual",
      signal: signal === undefined ? own : AbortSignal.any([signal, own]),
      ...(body !== undefined && { body: body as NonNullable<RequestInit["body"]> }),
    });
    const retryAfter = retryAfterOf(response.headers);
    return { status: response.status, headers: response.headers, text: await textOf(response), retryAfter };
  } catch (error) {
    signal?.throwIfAborted();
    return { error };
  }
}

function undelivered({ webhook, url, id }: Message, attempts: number, cause: unknown): WebhookDeliveryError {
  const isTimeout = (cause as Partial<Error> | undefined)?.name === "TimeoutError";
  return new WebhookDeliveryError({ webhook, origin: url.origin, id, attempts, isTimeout }, cause);
}

function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Returns a random wait between half of the exponential one and all of it. */
function backoff(attempts: number, { delay: first, maxDelay }: Required<RetryOptions>): number {
  const longest = Math.min(first * 2 ** (attempts - 1), maxDelay);
  return longest * (1 - Math.random() / 2);
}

/** Returns the milliseconds of `Retry-After`: seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get("Retry-After");
  if (value === null) return undefined;
  const now = Date.parse(headers.get("Date") ?? "") || Date.now(); // the local clock may be wrong
  const until = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}

/** Reads a body in UTF-8. Returns undefined if it has more bytes than `RESPONSE_LIMIT`; the rest is not read. */
async function textOf(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > RESPONSE_LIMIT) return undefined; // leaving the loop cancels the stream
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
