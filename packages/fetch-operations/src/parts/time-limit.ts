import { type Fetch, sendBy, withUrl } from "../fetch.ts";

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

/**
 * Returns a `fetch` whose responses fail with a `TimeoutError` if a reader waits for the next bytes longer than a number of
 * milliseconds, and end the request then. The time before the response, and of a reader that does not read, does not count.
 */
export function idleLimit(fetch: Fetch, milliseconds: number): Fetch {
  return async (request, init) => {
    const response = await sendBy(fetch, request, init);
    // Responses without a body or with a status that no program can construct stay as they are.
    if (!response.body || response.status < 200 || response.status > 599) return response;
    const reader = response.body.getReader();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const idle = new Promise<never>((_resolve, reject) => {
        const expire = () => reject(new DOMException("The response stopped before its end.", "TimeoutError"));
        timer = setTimeout(expire, Math.min(milliseconds, LONGEST_TIMER));
      });
      try {
        const { done, value } = await Promise.race([reader.read(), idle]);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        reader.cancel(error).catch(() => {});
        throw error;
      } finally {
        clearTimeout(timer);
      }
    };
    // Nothing is read ahead, so that only a reader that waits starts the timer.
    const body = new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
    return withUrl(new Response(body, response), response.url);
  };
}
