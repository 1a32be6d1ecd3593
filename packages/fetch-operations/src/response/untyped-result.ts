import type { Api } from "../api.ts";
import type { OperationDescription } from "../operation.ts";
import { keyOf } from "../operation.ts";
import type { FailureCode } from "../result.ts";
import { essenceOf } from "./reader.ts";
import type { ErrorResult } from "./result-types.ts";

/** The bytes at the beginning of a body that an error shows. */
const EXCERPT_BYTES = 1_024;

/** Returns the result of an error response. A response outside the contract becomes an `unreadable_answer`. */
export function errorResponseResult(
  api: Api,
  { errors = ["default"] }: OperationDescription,
  response: Response,
  text: string,
  error: unknown,
  secrets: readonly string[],
): ErrorResult {
  const { status, type } = response;
  const requestId = requestIdOf(api, response);
  const isDeclared = status >= 400 && keyOf(errors, status) !== undefined;
  if (isDeclared && isErrorBody(api, response, text, error)) return { ok: false, status, error, response, requestId };
  if (status === 304)
    return {
      ok: false,
      status,
      error: { code: "not_modified", message: "Not modified.", status },
      response,
      requestId,
    };
  // An error that the contract declares without a body.
  if (isDeclared && text === "" && api.errorFields === undefined) {
    const message = `The service responded with status ${status}.`;
    return { ok: false, status, error: { code: `http_${status}`, message, status }, response, requestId };
  }
  let problem = "is not the contract's Error. A proxy may have sent it";
  // Browsers hide the status of a redirect: https://fetch.spec.whatwg.org/#concept-filtered-response-opaque-redirect
  if (type === "opaqueredirect" || (status >= 300 && status < 400))
    problem = "is a redirect. Set baseUrl to its target";
  else if (status >= 400 && !isDeclared) problem = "is not declared by the contract";
  else if (text === "") problem = "has no body";
  return unreadableResponse(api, problem, response, text, secrets);
}

/** Returns the result of a response outside the contract. `problem` continues the sentence "The response 200 (type) …". */
export function unreadableResponse(
  api: Api,
  problem: string,
  response: Response,
  text: string | undefined,
  secrets: readonly string[],
  cause?: unknown,
  code: FailureCode = "unreadable_answer",
): ErrorResult {
  const type = response.headers.get("Content-Type") ?? "no Content-Type";
  return failure(api, code, `The response ${response.status} (${type}) ${problem}.`, cause, response, text, secrets);
}

/** Returns a failure, with the facts of the response if one arrived. */
export function failure(
  api: Api,
  code: FailureCode,
  message: string,
  cause: unknown,
  response?: Response,
  text?: string,
  secrets: readonly string[] = [],
): ErrorResult {
  const facts = response && {
    httpStatus: response.status,
    headers: response.headers,
    contentType: response.headers.get("Content-Type") ?? undefined,
    bodyStart: text === undefined ? undefined : excerptOf(text, secrets),
  };
  const error = { code, message, status: 0, ...facts };
  return { ok: false, status: 0, error, cause, response, requestId: requestIdOf(api, response) };
}

/** Returns the id under which the service logs a request. */
export function requestIdOf({ requestIdHeader }: Api, response: Response | undefined): string | undefined {
  return response?.headers.get(requestIdHeader) ?? undefined;
}

function isErrorBody({ errorFields }: Api, { headers }: Response, text: string, value: unknown): boolean {
  if (errorFields === undefined) {
    const type = essenceOf(headers.get("Content-Type"));
    return text !== "" && (typeof value !== "string" || (type !== "text/html" && !/[/+]json$/.test(type)));
  }
  const { [errorFields.code]: code, [errorFields.message]: message } = (value ?? {}) as Record<string, unknown>;
  return typeof code === "string" && typeof message === "string";
}

/** Returns the first bytes of a text, without any of the secrets, encoded or not. */
function excerptOf(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter(Boolean) // The secret of a connection is not known.
    .flatMap((secret) => [secret, encodeURIComponent(secret), secret.slice(secret.indexOf(" ") + 1)])
    .toSorted((one, other) => other.length - one.length);
  // A secret that begins within the excerpt is replaced as a whole.
  let start = text.slice(0, EXCERPT_BYTES + (forms[0]?.length ?? 0));
  for (const form of forms) start = start.replaceAll(form, "[credential]");
  const bytes = new TextEncoder().encode(start).subarray(0, EXCERPT_BYTES);
  return new TextDecoder().decode(bytes, { stream: true });
}
