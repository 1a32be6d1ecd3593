import type { Api } from "./api.ts";
import type { OperationDescription } from "./operation.ts";
import type { ErrorResult } from "./response/result-types.ts";
import type { FailureError } from "./result.ts";

/** The error of a failed call, thrown by `orThrow()` and by iterations over pages. It never contains a credential. */
export class OperationError<Code extends string = string> extends Error {
  declare readonly name: string;
  /** The operationId. */
  declare readonly operationId: string;
  declare readonly method: string;
  /** The URL of the request; undefined if the request could not be sent. */
  declare readonly url: string | undefined;
  /** The status of a declared response, or 0 without a valid response. `code` has the reason. */
  declare readonly status: number;
  /** A code of the contract's error, `http_` and the status for an error without a code, `not_modified`, or a `FailureCode`. */
  declare readonly code: Code;
  /** The body of a declared error, or the error of a failure. */
  declare readonly error: unknown;
  /** The id under which the service logs the request, from the response. */
  declare readonly requestId: string | undefined;
  /** The status of the response, also of one outside the contract; undefined if none arrived. */
  declare readonly httpStatus: number | undefined;
  /** The headers of the response, if one arrived. */
  declare readonly headers: Headers | undefined;
  /** The media type of the response. */
  declare readonly contentType: string | undefined;
  /** The first bytes of the body of a response outside the contract, without credentials. */
  declare readonly bodyStart: string | undefined;

  constructor(
    api: Api,
    { id, method }: Pick<OperationDescription, "id" | "method">,
    url: string | undefined,
    result: ErrorResult,
  ) {
    const { status, error, cause, response, requestId } = result;
    super(messageOf(api, error, status), cause === undefined ? {} : { cause });
    const { bodyStart } = (status === 0 ? error : {}) as Partial<FailureError>;
    const headers = response?.headers;
    const contentType = headers?.get("Content-Type") ?? undefined;
    Object.assign(this, {
      name: `${api.name}Error`, // not that of the class, which bundlers shorten
      operationId: id,
      method,
      url,
      status,
      code: codeOf(api, error, status),
      requestId,
      httpStatus: response?.status,
      headers,
      contentType,
      bodyStart,
    });
    Object.defineProperty(this, "error", { value: error }); // not shown by inspection, because it repeats the fields above
  }
}

/** Returns the code of an error, or `http_` and the status for an error body without one. */
export function codeOf({ errorFields }: Pick<Api, "errorFields">, error: unknown, status: number): string {
  const code = (error as Record<string, unknown> | null | undefined)?.[
    status === 0 ? "code" : (errorFields?.code ?? "code")
  ];
  return typeof code === "string" ? code : `http_${status}`;
}

function messageOf({ errorFields }: Api, error: unknown, status: number): string {
  if (typeof error === "string") return error.slice(0, 1_000);
  const body = (error ?? {}) as Record<string, unknown>;
  const nested = (body["error"] ?? {}) as Record<string, unknown>;
  const candidates = [
    status !== 0 && errorFields ? body[errorFields.message] : body["message"],
    body["detail"], // RFC 9457
    body["title"],
    nested["message"],
    body["error"],
    body["error_description"], // RFC 6749
  ];
  const message = candidates.find((candidate) => typeof candidate === "string" && candidate !== "");
  return (message as string | undefined) ?? `The service responded with status ${status}.`;
}
