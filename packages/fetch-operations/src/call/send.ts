import type { BuiltRequest, Connection } from "../connection.ts";
import { readText } from "../response/read-body.ts";
import type { Authorization } from "../security/credentials.ts";
import type { AttemptState } from "./exchange.ts";

/** Wraps an error of a function that the user gave, so that the call rejects with it. */
export class CallbackError extends Error {
  constructor(cause: unknown) {
    super("A function of the user failed.", { cause });
  }
}

/** Messages of failed connections in the runtimes' `fetch`, which are TypeErrors without a cause. */
const CONNECTION =
  /fetch|network|load failed|connect|socket|terminated|sending request|offline|host|cancelled|timed? ?out|refused|reset/i;

/** Sends a request that openapi-fetch has built, with its credentials. Returns an error response with its body read. */
export async function sendBy(
  { fetch, options, maxResponseBytes }: Connection,
  call: { operationId: string; attempt: number },
  { url, init, method }: BuiltRequest,
  { headers: secretHeaders, query, cookie }: Authorization,
  state: AttemptState,
): Promise<Response> {
  const headers = init.headers as Headers;
  if (options.onRequest) await called(options.onRequest, { ...call, method, url, headers });
  for (const [name, value] of Object.entries(secretHeaders)) if (!headers.has(name)) headers.set(name, value);
  if (cookie !== undefined) headers.set("Cookie", [headers.get("Cookie"), cookie].filter(Boolean).join("; "));
  state.url = url;
  const start = performance.now();
  const target = query === undefined ? url : `${url}${url.includes("?") ? "&" : "?"}${query}`;
  let response: Response;
  try {
    response = await fetch(target, init);
  } catch (cause) {
    throw options.fetch && isProgrammingError(cause) ? new CallbackError(cause) : cause;
  }
  if (typeof response?.status !== "number" || typeof response.headers?.get !== "function")
    throw new CallbackError(new TypeError("The fetch of the options did not return a Response."));
  state.response = response;
  // Results and errors show the URL of their response.
  if (query !== undefined) Object.defineProperty(response, "url", { value: url });
  if (options.onResponse)
    await called(options.onResponse, { ...call, method, url, duration: performance.now() - start, response });
  if (response.ok || response.type === "opaqueredirect") return response;
  const text = await readText(response, maxResponseBytes);
  state.text = text;
  return new Response(text || null, { status: response.status, headers: response.headers });
}

async function called<Event>(hook: (event: Event) => void | Promise<void>, event: Event): Promise<void> {
  try {
    await hook(event);
  } catch (error) {
    throw new CallbackError(error);
  }
}

/** Whether an error is a mistake in the code of a custom `fetch`, and not a failed connection. */
function isProgrammingError(cause: unknown): boolean {
  const isOfCode = cause instanceof TypeError || cause instanceof ReferenceError;
  return isOfCode && cause.cause === undefined && !CONNECTION.test(cause.message);
}
