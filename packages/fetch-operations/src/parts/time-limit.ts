import { type Fetch, sendBy } from "../fetch.ts";

/** Longer timers fire at once: https://developer.mozilla.org/docs/Web/API/Window/setTimeout#maximum_delay_value */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Keeps a request as long as its response is read: Node holds the signal of a request weakly. */
const requests = new WeakMap<object, Request>();

/**
 * Returns a `fetch` that rejects with a `TimeoutError` if no response arrives within a number of milliseconds, and ends the request.
 * Around `sizeLimit`, the response includes its body. A function that ignores its signal is no longer waited for.
 */
export function timeLimit(fetch: Fetch, milliseconds: number | (() => number)): Fetch {
  return async (request, init) => {
    // A signal of its own, so that one that many requests share gets no listener for each of them.
    const signal = init?.signal ? AbortSignal.any([init.signal]) : request.signal;
    const limit = new AbortController();
    const left = typeof milliseconds === "number" ? milliseconds : milliseconds();
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const response = await new Promise<Response>((resolve, reject) => {
        const end = (reason: Error) => {
          limit.abort(reason);
          reject(reason);
        };
        const abort = () => end(signal.reason as Error);
        const expire = () => end(new DOMException("The complete response did not arrive in time.", "TimeoutError"));
        if (signal.aborted) return abort();
        if (!(left > 0)) return expire();
        timer = setTimeout(expire, Math.min(left, LONGEST_TIMER));
        signal.addEventListener("abort", abort);
        sendBy(fetch, request, { ...init, signal: limit.signal }).then(resolve, reject);
      });
      requests.set(response, request);
      if (response.body) requests.set(response.body, request);
      return response;
    } finally {
      clearTimeout(timer);
    }
  };
}
