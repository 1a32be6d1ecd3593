import type { Exchange } from "./attempt.ts";
import type { Operation } from "./operation.ts";
import type { Refusal } from "./outcome.ts";

/** What `orThrow()` and pages throw: the failed call as facts. The API key is in none of them. */
export class PetstoreError extends Error {
  declare readonly name: "PetstoreError";
  /** The operationId. */
  declare readonly operationId: string;
  declare readonly method: string;
  /** The URL that was asked; undefined when the request could not be made. */
  declare readonly url: string | undefined;
  /** The status of the answer; 0 when there was none that could be read (`code` says why). */
  declare readonly status: number;
  /** A code of the contract, or a `FailureCode`. */
  declare readonly code: string;
  /** What the service's log calls the request (`X-Request-Id`), where it answered. */
  declare readonly requestId: string | undefined;
  /** The headers of the answer, where there was one. */
  declare readonly headers: Headers | undefined;

  constructor(
    { id, method }: Operation,
    url: Exchange["url"],
    { status, error: { code, message }, cause, response }: Refusal,
  ) {
    super(message, cause === undefined ? {} : { cause });
    const headers = response?.headers;
    const requestId = headers?.get("X-Request-Id") ?? undefined;
    Object.assign(this, { name: "PetstoreError", operationId: id, method, url, status, code, requestId, headers });
  }
}
