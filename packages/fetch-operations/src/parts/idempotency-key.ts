import { type Fetch, sendBy } from "../fetch.ts";

/**
 * Returns a `fetch` that sends a new key with each POST and PATCH that has none, by which the service recognises a repeat. It
 * belongs around `retry`, so that all attempts have one key. `retry` repeats requests with an `Idempotency-Key`; another header needs its
 * option `isRepeatable`.
 */
export function idempotencyKey(fetch: Fetch, header = "Idempotency-Key", methods = ["POST", "PATCH"]): Fetch {
  return (request, init) => {
    const headers = new Headers(init?.headers ?? request.headers);
    if (!methods.includes(request.method) || headers.has(header)) return sendBy(fetch, request, init);
    headers.set(header, newKey());
    return sendBy(fetch, new Request(request, { ...init, headers }));
  };
}

/** Returns a new key. `crypto.randomUUID` is not used, because browsers have it on HTTPS pages only. */
export function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
