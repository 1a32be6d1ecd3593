import type { Connection } from "./connection.ts";
import type { Operation } from "./operation.ts";
import { answered, type Outcome, unanswered } from "./outcome.ts";

/** What goes to an operation, by the places of openapi-fetch. */
export interface Message {
  params?: { path?: object; query?: object; header?: object | undefined };
  body?: unknown;
  headers?: Record<string, string | null>;
  /** In place of the operation's own address: the link to a page, say. */
  url?: URL | undefined;
}

/** What became of a message, and where it was sent; undefined when it could not be. */
export interface Exchange {
  outcome: Outcome;
  url?: string | undefined;
}

/** Sends a message once and reads the whole answer, within some milliseconds. Whatever happens is an outcome. */
export async function attempt(
  { fetch, request }: Connection,
  operation: Operation,
  { url: target, ...message }: Message,
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
    const init = { ...message, fetch: send, signal: limit.signal, ...(target && { baseUrl: target.origin }) };
    // `fetch` may be one that ignores the signal.
    const answer = await Promise.race([request(operation.method, path, init), abortion(limit.signal)]);
    return { outcome: answered(operation, answer), url };
  } catch (cause) {
    const ended = signal?.aborted ? "aborted" : limit.signal.aborted ? "timeout" : undefined;
    return { outcome: unanswered(cause, ended, url !== undefined, response), url };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function abortion(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}
