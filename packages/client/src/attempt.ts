import type { Connection } from "./connection.ts";
import type { Operation } from "./operation.ts";
import { failureResult, responseResult, type UntypedResult } from "./untyped-result.ts";

/** The parts of a request, in the places of openapi-fetch. */
export interface RequestParts {
  params?: { path?: object; query?: object; header?: object | undefined };
  body?: unknown;
  headers?: Record<string, string | null>;
  /** Replaces the operation's own URL, such as with the link to a page. */
  url?: URL | undefined;
}

/** A request's result and URL. The URL is undefined when the request could not be sent. */
export interface Exchange {
  result: UntypedResult;
  url?: string | undefined;
}

/** Sends a request once and reads the whole response within a number of milliseconds. Never rejects. */
export async function attempt(
  { fetch, request }: Connection,
  operation: Operation,
  { url: target, ...parts }: RequestParts,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<Exchange> {
  let url: string | undefined;
  let response: Response | undefined;
  const send = async (sent: Request): Promise<Response> => {
    ({ url } = sent);
    return (response = await fetch(sent));
  };
  const limit = new AbortController();
  const abort = (): void => limit.abort(signal?.reason);
  const timer = setTimeout(() => limit.abort(), milliseconds);
  signal?.addEventListener("abort", abort);
  try {
    signal?.throwIfAborted();
    const path = target ? target.pathname + target.search : operation.path;
    const init = { ...parts, fetch: send, signal: limit.signal, ...(target && { baseUrl: target.origin }) };
    // The race also ends a custom `fetch` that ignores the signal.
    const parsed = await Promise.race([request(operation.method, path, init), rejectOnAbort(limit.signal)]);
    return { result: responseResult(operation, parsed), url };
  } catch (cause) {
    const code = signal?.aborted ? "aborted" : limit.signal.aborted ? "timeout" : undefined;
    return { result: failureResult(cause, code, url !== undefined, response), url };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}
