import { keyOf } from "../operation.ts";
import { factsOfResponse } from "../operation-error.ts";
import type { ErrorResult, FailureCode } from "../result.ts";
import { CallFailure } from "./call-failure.ts";
import type { Exchange, Facts, ResponseExchange } from "./exchange.ts";

/** The bytes at the beginning of a body that an error shows. */
const EXCERPT_BYTES = 1_024;

/** The facts of an error that is not one of the client. */
const UNKNOWN: Partial<CallFailure> & { message: string } = { message: "See cause." };

/** The message of an aborted call. */
export const ABORTED = "The call was aborted.";

export function errorOf(exchange: Pick<Exchange, "api" | "operation" | "url" | "result">): Error {
  const { api, operation, url, result } = exchange;
  return new api.error(api, operation, url, result as ErrorResult);
}

export function failureOf(exchange: Exchange, cause: unknown, isEnded: boolean): ErrorResult {
  if (exchange.options.signal?.aborted) return failure(exchange, "aborted", ABORTED, cause);
  if (isEnded) return failure(exchange, "timeout", "The complete response did not arrive in time.", cause);
  const { code, message, text, cause: inner } = cause instanceof CallFailure ? cause : UNKNOWN;
  if (code === "unreadable_answer") return unreadableResult(exchange, message, text, inner);
  if (code === "response_too_large") return failure(exchange, code, message, inner);
  return exchange.url === undefined
    ? failure(exchange, "unsendable_request", `A value of the request cannot be sent. ${message}`, cause)
    : failure(exchange, "network_error", "The connection failed. See cause.", cause);
}

/** Returns the result of an error response. A response outside the contract becomes an `unreadable_answer`. */
export function errorResult(exchange: ResponseExchange, text: string): ErrorResult {
  const { api, operation, response } = exchange;
  const { status, type, headers } = response;
  let error: unknown = text || undefined;
  try {
    error = JSON.parse(text);
  } catch {}
  const key = status >= 400 ? keyOf(operation.errors ?? ["default"], status) : undefined;
  const [code, message] =
    (key && api.errors(error, status, headers.get("Content-Type"))) ||
    (key && !text && operation.empty?.includes(key) && ([`http_${status}`, `Status ${status}.`] as const)) ||
    (status === 304 && (["not_modified", "Not modified."] as const)) ||
    [];
  if (code) {
    if (error === undefined) error = { code, message, status };
    return { ok: false, status, error, ...responseOf(exchange) };
  }
  let problem = "is not declared by the contract";
  // Browsers hide the status of a redirect: https://fetch.spec.whatwg.org/#concept-filtered-response-opaque-redirect
  if (type === "opaqueredirect" || (status >= 300 && status < 400))
    problem = "is a redirect. Set baseUrl to its target";
  else if (key) problem = text ? "is not the contract's Error. A proxy may have sent it" : "has no body";
  return unreadableResult(exchange, problem, text);
}

/** Returns the result of a response outside the contract. `problem` continues the sentence "The response 200 (type) …". */
export function unreadableResult(facts: Facts, problem: string, text?: string, cause?: unknown): ErrorResult {
  const { status, headers } = facts.response!;
  const message = `The response ${status} (${headers.get("Content-Type") ?? "no Content-Type"}) ${problem}.`;
  return failure(facts, "unreadable_answer", message, cause, text);
}

/** Returns a failure, with the facts of the response if one arrived. */
export function failure(facts: Facts, code: FailureCode, message: string, cause?: unknown, text?: string): ErrorResult {
  const { response, secrets } = facts;
  const error = {
    code,
    message,
    status: 0,
    ...(response && { ...factsOfResponse(response), bodyStart: text && excerptOf(text, secrets) }),
  };
  return { ok: false, status: 0, error, cause, ...responseOf(facts) };
}

/** Returns the response of a result, and the id under which the service logs the request. */
export function responseOf<Arrived extends Facts>({ api, response }: Arrived) {
  const requestId = response?.headers.get(api.requestIdHeader) ?? undefined;
  return { response: response as Arrived["response"], requestId };
}

/** Returns the first bytes of a text, without any of the secrets, encoded or not. */
function excerptOf(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .toSorted((one, other) => other.length - one.length);
  // A secret that begins within the excerpt is replaced as a whole.
  let start = text.slice(0, EXCERPT_BYTES + (forms[0]?.length ?? 0));
  for (const form of forms) start = start.replaceAll(form, "[credential]");
  const bytes = new TextEncoder().encode(start).subarray(0, EXCERPT_BYTES);
  return new TextDecoder().decode(bytes, { stream: true });
}
