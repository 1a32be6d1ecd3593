import type { Operation } from "./operation.ts";
import type { FailureCode } from "./result.ts";

/** A `Result` of any operation. */
export type UntypedResult = SuccessResult | ErrorResult;

interface SuccessResult {
  ok: true;
  status: number;
  data: unknown;
  response: Response;
}

/** An error response, or a failure without a valid response. */
export interface ErrorResult {
  ok: false;
  status: number;
  error: { code: string; message: string; status: number };
  cause?: unknown;
  response: Response | undefined;
}

/** A response as openapi-fetch reads it. `error` is a string for a body that is not JSON, and missing or "" for no body. */
export interface ParsedResponse {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** Returns the result of a response. A response outside the contract becomes an `unreadable_answer`. */
export function responseResult({ success }: Operation, { data, error, response }: ParsedResponse): UntypedResult {
  const { ok, status, type } = response;
  const isDeclared = success.includes(status);
  if (isDeclared && ((data ?? null) !== null || status === 204)) return { ok: true, status, data, response };
  if (status >= 400 && isErrorBody(error)) return { ok: false, status, error, response };
  if (status === 304)
    return { ok: false, status, error: { code: "not_modified", message: "Not modified.", status }, response };
  let problem = "is not the contract's Error. A proxy may have sent it";
  // Browsers hide the status of a redirect: https://fetch.spec.whatwg.org/#concept-filtered-response-opaque-redirect
  if (type === "opaqueredirect" || (status >= 300 && status < 400))
    problem = "is a redirect. Set baseUrl to its target";
  else if (ok && !isDeclared) problem = "is not declared by the contract";
  else if (!(data ?? error)) problem = "has no body";
  return unreadableResponse(problem, response);
}

/**
 * Returns the result of a request without a valid response. `code` names the abort or timeout that ended the request, if
 * any.
 */
export function failureResult(
  cause: unknown,
  code?: "aborted" | "timeout",
  isSent = true,
  response?: Response,
): ErrorResult {
  if (code === "aborted") return failure(code, "The call was aborted.", cause, response);
  if (code === "timeout") return failure(code, "The complete response did not arrive in time.", cause, response);
  if (!isSent) return failure("unsendable_request", "A value of the request cannot be sent. See cause.", cause);
  if (response && cause instanceof SyntaxError)
    return unreadableResponse("is not JSON or is incomplete", response, cause);
  return failure("network_error", "The connection failed. See cause.", cause, response);
}

/** Returns the result of a response outside the contract. `problem` continues the sentence "The response 200 (type) …". */
export function unreadableResponse(problem: string, response: Response, cause?: unknown): ErrorResult {
  const type = response.headers.get("Content-Type") ?? "no Content-Type";
  return failure("unreadable_answer", `The response ${response.status} (${type}) ${problem}.`, cause, response);
}

function failure(code: FailureCode, message: string, cause: unknown, response?: Response): ErrorResult {
  return { ok: false, status: 0, error: { code, message, status: 0 }, cause, response };
}

function isErrorBody(value: unknown): value is ErrorResult["error"] {
  const { code, message } = (value ?? {}) as Record<string, unknown>;
  return typeof code === "string" && typeof message === "string";
}
