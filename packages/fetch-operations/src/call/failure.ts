import { keyOf } from "../operation.ts";
import { factsOfResponse } from "../operation-error.ts";
import type { ErrorResult, FailureCode } from "../result.ts";
import { TokenError } from "../parts/authentication.ts";
import { CallFailure } from "./call-failure.ts";
import type { Exchange, Facts, ResponseExchange } from "./exchange.ts";

/** The bytes at the beginning of a body that an error shows. */
const EXCERPT_BYTES = 1_024;

/** The message of an aborted call. */
export const ABORTED = "The call was aborted.";
const TIMED_OUT = "The complete response did not arrive in time.";

/** Returns the error of a call, without the credentials that a response may repeat. */
export function errorOf(exchange: Pick<Exchange, "api" | "operation" | "url" | "result" | "secrets">): Error {
  const { api, operation, url, result, secrets } = exchange;
  const error: Error & { headers?: Headers | undefined } = new api.error(api, operation, url, result as ErrorResult);
  error.message = masked(error.message, secrets);
  if (error.headers) error.headers = maskedHeaders(error.headers, secrets);
  return error;
}

/** Returns the failure of a call that has thrown. Throws an error of the user's own functions again. */
export function failureOf(exchange: Exchange, cause: unknown): ErrorResult {
  if (exchange.options.signal?.aborted) return failure(exchange, "aborted", ABORTED, cause);
  const { name, message } = Object(cause) as Error;
  if (name === "TimeoutError") return failure(exchange, "timeout", TIMED_OUT, cause);
  if (name === "TooLargeError") return failure(exchange, "response_too_large", message, undefined);
  if (cause instanceof CallFailure) {
    if (cause.code === "unreadable_answer") return unreadableResult(exchange, message, cause.text, cause.cause);
    return failure(exchange, cause.code, `A value of the request cannot be sent. ${message}`, cause.cause ?? cause);
  }
  if (cause instanceof TokenError) return failure(exchange, "token_error", message, cause);
  const { thrown, isHeld } = exchange;
  if (!isHeld && (thrown?.error !== cause || thrown?.isUsers)) throw cause;
  return failure(exchange, "network_error", "The connection failed. See cause.", cause);
}

/**
 * Returns the result of a response that is no declared success. A status that the contract does not declare keeps its body, as an
 * `UndeclaredError`; so does a redirect. A declared status with another body is an `unreadable_answer`, so that the 404 of a proxy is
 * not taken for that of the service. The body is JSON, another text, or undefined or an empty text without one.
 */
export function errorResult(exchange: ResponseExchange, body: unknown): ErrorResult {
  const { api, operation, response } = exchange;
  const { status, type, headers } = response;
  const isError = status >= 400;
  let error = body === "" ? undefined : body;
  const key = isError && keyOf(operation.errors ?? ["default"], status);
  const known = isError && api.errors(error, status, headers.get("Content-Type"));
  const [code, message] =
    (key && known) ||
    (key &&
      error === undefined &&
      operation.empty?.includes(key) &&
      ([`http_${status}`, `Status ${status}.`] as const)) ||
    [];
  if (code) {
    if (error === undefined) error = { code, message, status };
    return { ok: false, status, error, ...responseOf(exchange) };
  }
  const text = error === undefined ? "" : typeof error === "string" ? error : JSON.stringify(error);
  // Browsers hide the status of a redirect: https://fetch.spec.whatwg.org/#concept-filtered-response-opaque-redirect
  const isRedirect = type === "opaqueredirect" || (status >= 300 && !isError);
  const problem = isRedirect ? REDIRECT : !key ? UNDECLARED : text ? FOREIGN : "has no body";
  // The registered statuses: https://www.iana.org/assignments/http-status-codes
  const isRegistered = isError || (status > 0 && status % 100 < 9) || status === 226;
  if (key || !isRegistered) return unreadableResult(exchange, problem, text);
  const [ownCode, ownMessage] =
    known || (status === 304 ? ["not_modified", "Not modified."] : [`http_${status}`, sentence(exchange, problem)]);
  const undeclared = {
    code: ownCode,
    message: masked(ownMessage, exchange.secrets),
    status,
    body: withoutSecrets(error, text, exchange),
    ...factsOf(exchange, text),
  };
  return { ok: false, status, error: undeclared, ...responseOf(exchange) };
}

/** Returns the value of a body as openapi-fetch reads that of an error: of JSON, or else the text. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const UNDECLARED = "is not declared by the contract";
const REDIRECT = "is a redirect. Set baseUrl to its target";
const FOREIGN = "is not the contract's Error. A proxy may have sent it";

/** Returns the result of a response outside the contract. `problem` continues the sentence "The response 200 (type) …". */
export function unreadableResult(facts: Facts, problem: string, text?: string, cause?: unknown): ErrorResult {
  const { secrets } = facts;
  // A SyntaxError quotes the text.
  const isSecret = cause instanceof SyntaxError && text !== undefined && masked(text, secrets) !== text;
  const shown = isSecret ? new SyntaxError("The text is not JSON.") : cause;
  return failure(facts, "unreadable_answer", sentence(facts, problem), shown, text);
}

/** Returns the facts of a response that an error shows, and the beginning of its body, without credentials. */
function factsOf({ response, secrets }: Facts, text: string | undefined) {
  const facts = factsOfResponse(response);
  return {
    ...facts,
    headers: facts.headers && maskedHeaders(facts.headers, secrets),
    bodyStart: text && excerptOf(text, secrets),
  };
}

function maskedHeaders(headers: Headers, secrets: readonly string[]): Headers {
  const isClean = [...headers].every(([, value]) => masked(value, secrets) === value);
  return isClean ? headers : new Headers([...headers].map(([name, value]) => [name, masked(value, secrets)]));
}

function sentence({ response }: Facts, problem: string): string {
  const { status, headers } = response!;
  return `The response ${status} (${headers.get("Content-Type") ?? "no Content-Type"}) ${problem}.`;
}

/** Returns a failure, with the facts of the response if one arrived. */
export function failure(facts: Facts, code: FailureCode, message: string, cause?: unknown, text?: string): ErrorResult {
  const { response } = facts;
  const error = {
    code,
    message,
    status: 0,
    ...(response && factsOf(facts, text)),
  };
  return { ok: false, status: 0, error, cause, ...responseOf(facts) };
}

/** Returns the response of a result, and the id under which the service logs the request. */
export function responseOf<Arrived extends Facts>({ api, response }: Arrived) {
  const requestId = response?.headers.get(api.requestIdHeader) ?? undefined;
  return { response: response as Arrived["response"], requestId };
}

/** Returns a body without the credentials that a page of an error may repeat. */
function withoutSecrets(body: unknown, text: string, { secrets }: Facts): unknown {
  const clean = masked(text, secrets);
  if (clean === text) return body;
  return typeof body === "string" ? clean : valueOf(clean);
}

/** Returns the first bytes of a text, without credentials. */
function excerptOf(text: string, secrets: readonly string[]): string {
  // A secret that begins within the excerpt is replaced as a whole.
  const longest = Math.max(0, ...secrets.map((secret) => encodeURIComponent(secret).length));
  const bytes = new TextEncoder().encode(masked(text.slice(0, EXCERPT_BYTES + longest), secrets));
  return new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES), { stream: true });
}

/** Replaces each secret in a text, encoded or not. */
function masked(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .toSorted((one, other) => other.length - one.length);
  return forms.reduce((masking, form) => masking.replaceAll(form, "[credential]"), text);
}
