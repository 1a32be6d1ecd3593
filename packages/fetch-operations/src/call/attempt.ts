import type { BuiltRequest, Connection } from "../connection.ts";
import type { OperationDescription } from "../operation.ts";
import type { ErrorResult, UntypedResult } from "../response/result-types.ts";
import { failure } from "../response/untyped-result.ts";
import { authorize } from "../security/credentials.ts";
import type { Attempt, AttemptState, Exchange } from "./exchange.ts";
import { CallbackError, sendBy } from "./send.ts";
import { resultOf } from "./response-result.ts";

/** Sends a request once and reads the response within a number of milliseconds. Rejects only if a function of the user throws. */
export async function attempt(
  connection: Connection,
  operation: OperationDescription,
  given: Attempt,
): Promise<Exchange> {
  const { signal, milliseconds } = given;
  const state: AttemptState = { secrets: [], isRenewable: false, isOnce: false, isHeld: false };
  const limit = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort: (() => void) | undefined;
  try {
    signal?.throwIfAborted();
    const result = await new Promise<UntypedResult>((resolve, reject) => {
      const end = (): void => {
        limit.abort(signal?.reason);
        reject(limit.signal.reason as Error); // which also ends a custom `fetch` that ignores the signal
      };
      timer = setTimeout(end, milliseconds);
      if (signal) signal.addEventListener("abort", (abort = end));
      exchange(connection, operation, given, state, limit.signal).then(resolve, reject);
    });
    return { result, url: state.url, isRenewable: state.isRenewable, isOnce: state.isOnce };
  } catch (cause) {
    if (cause instanceof CallbackError) throw cause.cause;
    return { result: failureOf(connection, state, signal, limit.signal, cause), url: state.url, isOnce: state.isOnce };
  } finally {
    clearTimeout(timer);
    if (abort && !state.isHeld) signal?.removeEventListener("abort", abort);
  }
}

/** Returns the failure of an attempt that ended with an error. */
function failureOf(
  { api }: Connection,
  { url, response, text, secrets }: AttemptState,
  signal: AbortSignal | undefined,
  limit: AbortSignal,
  cause: unknown,
): ErrorResult {
  const { name, message } = cause as Error;
  if (signal?.aborted) return failure(api, "aborted", "The call was aborted.", cause, response);
  if (limit.aborted) return failure(api, "timeout", "The complete response did not arrive in time.", cause, response);
  if (url === undefined) {
    const reason = name === "UnsendableRequest" ? message : "See cause.";
    return failure(api, "unsendable_request", `A value of the request cannot be sent. ${reason}`, cause);
  }
  if (name === "ResponseTooLarge") return failure(api, "response_too_large", message, cause, response);
  return failure(api, "network_error", "The connection failed. See cause.", cause, response, text, secrets);
}

async function exchange(
  connection: Connection,
  operation: OperationDescription,
  given: Attempt,
  state: AttemptState,
  signal: AbortSignal,
): Promise<UntypedResult> {
  const { parts, isRejected } = given;
  const { api, baseUrl, credentials, request } = connection;
  const { id, method, server } = operation;
  const authorization = await authorize(api, operation, credentials(), isRejected, signal).catch((cause: unknown) => {
    throw (cause as Error).name === "UnsendableRequest" ? cause : new CallbackError(cause);
  });
  state.secrets = authorization.secrets;
  state.isRenewable = authorization.isRenewable;
  const written = parts.writer && parts.writer(parts.body, parts.contentType!);
  state.isOnce = written?.body instanceof ReadableStream;
  const headers: Record<string, string> = { ...connection.headers, ...given.headers };
  if (typeof written?.contentType === "string") headers["Content-Type"] = written.contentType;
  const parsed = await request(method, parts.target, {
    ...(server !== undefined && { baseUrl: new URL(server, `${baseUrl}/`).href }),
    ...(written && { body: written.body }),
    ...(state.isOnce && { duplex: "half" }),
    headers,
    signal,
    parseAs: "stream",
    fetch: (built: BuiltRequest) =>
      sendBy(connection, { operationId: id, attempt: given.count }, built, authorization, state),
  });
  return resultOf(connection, operation, given, parsed, state, signal);
}
