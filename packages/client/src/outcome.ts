import type { Operation } from "./operation.ts";
import type { FailureCode } from "./result.ts";

/** A `Result` of any operation. */
export type Outcome = Success | Refusal;

interface Success {
  ok: true;
  status: number;
  data: unknown;
  response: Response;
}

/** An answer that is no success, or none at all. */
export interface Refusal {
  ok: false;
  status: number;
  error: { code: string; message: string; status: number };
  cause?: unknown;
  response: Response | undefined;
}

/** An answer as openapi-fetch has read it: its `error` is a string where the body is not JSON, and missing or "" where there is none. */
export interface Answer {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** An answer that has arrived: one of the contract's, or a failure that says what it is instead. */
export function answered({ success }: Operation, { data, error, response }: Answer): Outcome {
  const { ok, status, type } = response;
  const isDeclared = success.includes(status);
  if (isDeclared && ((data ?? null) !== null || status === 204)) return { ok: true, status, data, response };
  if (status >= 400 && isErrorBody(error)) return { ok: false, status, error, response };
  if (status === 304)
    return { ok: false, status, error: { code: "not_modified", message: "Not modified.", status }, response };
  let what = "is not the contract's Error. A proxy may have sent it";
  // Browsers hide all that a redirect says: https://fetch.spec.whatwg.org/#concept-filtered-response-opaque-redirect
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) what = "is a redirect. Set baseUrl to its target";
  else if (ok && !isDeclared) what = "is not declared by the contract";
  else if (!(data ?? error)) what = "has no body";
  return unreadable(what, response);
}

/** No answer that could be read. `ended` says what gave up waiting, if anything did. */
export function unanswered(cause: unknown, ended?: "aborted" | "timeout", isSent = true, response?: Response): Refusal {
  if (ended === "aborted") return failure(ended, "The call was aborted.", cause, response);
  if (ended === "timeout") return failure(ended, "The complete response did not arrive in time.", cause, response);
  if (!isSent) return failure("unsendable_request", "A value of the request cannot be sent. See cause.", cause);
  if (response && cause instanceof SyntaxError) return unreadable("is not JSON or is incomplete", response, cause);
  return failure("network_error", "The connection failed. See cause.", cause, response);
}

/** An answer that is none of the contract's. */
export function unreadable(what: string, response: Response, cause?: unknown): Refusal {
  const type = response.headers.get("Content-Type") ?? "no Content-Type";
  return failure("unreadable_answer", `The response ${response.status} (${type}) ${what}.`, cause, response);
}

function failure(code: FailureCode, message: string, cause: unknown, response?: Response): Refusal {
  return { ok: false, status: 0, error: { code, message, status: 0 }, cause, response };
}

function isErrorBody(value: unknown): value is Refusal["error"] {
  const { code, message } = (value ?? {}) as Record<string, unknown>;
  return typeof code === "string" && typeof message === "string";
}
