import { authorize } from "../security/authorize.ts";
import type { BuiltRequest, Exchange, Part } from "./exchange.ts";

/** Messages of failed connections in the runtimes' `fetch`, which are TypeErrors without a cause. */
const CONNECTION =
  /fetch|network|load failed|connect|socket|terminated|sending request|offline|host|cancelled|timed? ?out|refused|reset/i;

/** The response that openapi-fetch gets. It reads no body with this status, so that the client reads it within its limits. */
const UNREAD = { status: 204, headers: new Map() };

/** Sends a request that openapi-fetch has built, with its credentials. */
export async function sendBuilt(exchange: Exchange, request: BuiltRequest): Promise<typeof UNREAD> {
  exchange.isUserError = true;
  exchange.response = await (exchange.connection.part.observe ?? dispatch)(exchange, request);
  exchange.isUserError = false;
  return UNREAD;
}

/** Sends a request with its credentials, without hooks. */
async function dispatch(exchange: Exchange, { url, init }: BuiltRequest): Promise<Response> {
  const { fetch, options } = exchange.connection;
  const target = await authorize(exchange, url, init.headers);
  exchange.url = url;
  let response: Response;
  try {
    response = await fetch(target, init);
  } catch (cause) {
    exchange.isUserError = options().fetch !== undefined && isProgrammingError(cause);
    throw cause;
  }
  if (typeof response?.status !== "number" || typeof response.headers?.get !== "function")
    throw new TypeError("The fetch of the options did not return a Response.");
  // Results and errors show the URL of their response.
  if (target !== url) Object.defineProperty(response, "url", { value: url });
  return response;
}

/** Whether an error is a mistake in the code of a custom `fetch`, and not a failed connection. */
function isProgrammingError(cause: unknown): boolean {
  const isOfCode = cause instanceof TypeError || cause instanceof ReferenceError;
  return isOfCode && cause.cause === undefined && !CONNECTION.test(cause.message);
}

/** Calls `onRequest` before each attempt and `onResponse` with each response. */
export const hooks: Part = {
  options: ["onRequest", "onResponse"],
  observe: async (exchange, request) => {
    const { connection, operation, count } = exchange;
    const { onRequest, onResponse } = connection.options();
    if (!onRequest && !onResponse) return dispatch(exchange, request);
    const { url, init } = request;
    const event = { operationId: operation.id, attempt: count, method: operation.method, url };
    await onRequest?.({ ...event, headers: init.headers });
    const start = performance.now();
    const response = (exchange.response = await dispatch(exchange, request));
    await onResponse?.({ ...event, duration: performance.now() - start, response });
    return response;
  },
};
