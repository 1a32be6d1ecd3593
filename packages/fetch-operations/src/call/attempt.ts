import type { BuiltRequest, Connection } from "../connection.ts";
import type { OperationDescription } from "../operation.ts";
import type { UntypedResult } from "../response/result-types.ts";
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
  const state: AttemptState = { secrets: [], isRenewable: false, isHeld: false };
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
    return { result, url: state.url, isRenewable: state.isRenewable };
  } catch (cause) {
    if (cause instanceof CallbackError) throw cause.cause;
    const { api } = connection;
    const { url, response, text, secrets } = state;
    if (signal?.aborted) return { result: failure(api, "aborted", "The call was aborted.", cause, response), url };
    if (limit.signal.aborted)
      return { result: failure(api, "timeout", "The complete response did not arrive in time.", cause, response), url };
    if (url === undefined) {
      const reason = (cause as Error).name === "UnsendableRequest" ? (cause as Error).message : "See cause.";
      return { result: failure(api, "unsendable_request", `A value of the request cannot be sent. ${reason}`, cause) };
    }
    if ((cause as Error).name === "ResponseTooLarge")
      return { result: failure(api, "response_too_large", (cause as Error).message, cause, response), url };
    return {
      result: failure(api, "network_error", "The connection failed. See cause.", cause, response, text, secrets),
      url,
    };
  } finally {
    clearTimeout(timer);
    if (abort && !state.isHeld) signal?.removeEventListener("abort", abort);
  }
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
  const headers: Record<string, string> = { ...connection.headers, ...given.headers };
  if (typeof written?.contentType === "string") headers["Content-Type"] = written.contentType;
  const parsed = await request(method, parts.target, {
    ...(server !== undefined && { baseUrl: new URL(server, `${baseUrl}/`).href }),
    ...(written && { body: written.body }),
    ...(written?.body instanceof ReadableStream && { duplex: "half" }),
    headers,
    signal,
    parseAs: "stream",
    fetch: (built: BuiltRequest) =>
      sendBy(connection, { operationId: id, attempt: given.count }, built, authorization, state),
  });
  return resultOf(connection, operation, given, parsed, state, signal);
}
