import type { Connection, ParsedResponse } from "../connection.ts";
import { keyOf, type OperationDescription } from "../operation.ts";
import { readText } from "../response/read-body.ts";
import { readJson, UnreadableBody } from "../response/read-json.ts";
import { declaredType } from "../response/reader.ts";
import type { ErrorResult, UntypedResult } from "../response/result-types.ts";
import { errorResponseResult, failure, requestIdOf, unreadableResponse } from "../response/untyped-result.ts";
import type { Attempt, AttemptState } from "./exchange.ts";

/** Returns the result of a response, and reads the body of a success as its declared media type. */
export async function resultOf(
  connection: Connection,
  operation: OperationDescription,
  { isRaw, resend }: Attempt,
  { error }: ParsedResponse,
  state: AttemptState,
  signal: AbortSignal,
): Promise<UntypedResult> {
  const { api, maxResponseBytes: limit } = connection;
  const { success, empty = [], readers, method } = operation;
  const { secrets } = state;
  const response = state.response!;
  const { status } = response;
  const key = keyOf(success, status);
  if (!response.ok) return errorResponseResult(api, operation, response, state.text ?? "", error, secrets);
  if (key === undefined) {
    const text = await readText(response, limit);
    return unreadableResponse(api, "is not declared by the contract", response, text, secrets);
  }
  const requestId = requestIdOf(api, response);
  if (isRaw) {
    state.isHeld = true;
    return { ok: true, status, data: response, response, requestId };
  }
  if (method === "HEAD" || status === 204 || status === 205 || empty.includes(key)) {
    await response.body?.cancel();
    return { ok: true, status, data: undefined, response, requestId };
  }
  const type = readers && declaredType(Object.keys(readers), response.headers.get("Content-Type"));
  if (readers && type === undefined) {
    const text = await readText(response, limit);
    return unreadableResponse(api, "has a media type that the contract does not declare", response, text, secrets);
  }
  const hold = () => void (state.isHeld = true);
  try {
    const data = await (type === undefined ? readJson : readers![type]!)({
      operation,
      response,
      limit,
      resend,
      signal,
      hold,
      fail: (cause) => streamError(connection, operation, state, signal, cause),
    });
    const isOneOfSeveral = readers !== undefined && Object.keys(readers).length > 1;
    return { ok: true, status, data, response, requestId, ...(isOneOfSeveral && { contentType: type }) };
  } catch (error_) {
    if (!(error_ instanceof UnreadableBody)) throw error_;
    return unreadableResponse(api, error_.problem, response, error_.text, secrets, error_.cause);
  }
}

/** Returns the error of a stream that ended before its end. */
function streamError(
  { api }: Connection,
  operation: OperationDescription,
  { url, response, secrets }: AttemptState,
  signal: AbortSignal,
  cause: unknown,
): Error {
  const { name, message } = cause as Error;
  if (name === `${api.name}Error`) return cause as Error;
  const result = (): ErrorResult => {
    if (signal.aborted) return failure(api, "aborted", "The call was aborted.", cause, response);
    if (name === "ResponseTooLarge") return failure(api, "response_too_large", message, cause, response);
    if (cause instanceof UnreadableBody)
      return unreadableResponse(api, cause.problem, response!, cause.text, secrets, cause.cause);
    return failure(api, "network_error", "The connection failed. See cause.", cause, response);
  };
  return new api.error(api, operation, url, result());
}
