import type { Exchange } from "./attempt.ts";
import type { Operation } from "./operation.ts";
import type { ErrorResult } from "./untyped-result.ts";

/** The error of a failed call, thrown by `orThrow()` and by iterations over pages. It never contains the API key. */
export class PetstoreError extends Error {
  declare readonly name: "PetstoreError";
  /** The operationId. */
  declare readonly operationId: string;
  declare readonly method: string;
  /** The URL of the request; undefined if the request could not be sent. */
  declare readonly url: string | undefined;
  /** The status of the response, or 0 without a valid response. `code` has the reason. */
  declare readonly status: number;
  /** A code of the contract's `Error`, `not_modified`, or a `FailureCode`. */
  declare readonly code: string;
  /** The response's `X-Request-Id`, which identifies the request in the service's log. */
  declare readonly requestId: string | undefined;
  /** The headers of the response, if one arrived. */
  declare readonly headers: Headers | undefined;

  constructor(
    { id, method }: Operation,
    url: Exchange["url"],
    { status, error: { code, message }, cause, response }: ErrorResult,
  ) {
    super(message, cause === undefined ? {} : { cause });
    const headers = response?.headers;
    const requestId = headers?.get("X-Request-Id") ?? undefined;
    Object.assign(this, { name: "PetstoreError", operationId: id, method, url, status, code, requestId, headers });
  }
}
