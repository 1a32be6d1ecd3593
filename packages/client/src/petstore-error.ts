import type { Operation } from "./operation.ts";

/** What `orThrow()` and pages throw: the failed call as facts. Nothing in it holds the API key. */
export class PetstoreError extends Error {
  override name = "PetstoreError";
  /** The operationId. */
  readonly operationId: string;
  readonly method: string;
  /** The URL asked; undefined when the request could not even be made. */
  readonly url: string | undefined;
  /** The status of the answer; 0 when there was none, or none of the contract's (`code` says which). */
  readonly status: number;
  /** A code of the contract, or a `FailureCode`. */
  readonly code: string;
  /** What the service calls the request in its log (`X-Request-Id`), where it answered. */
  readonly requestId: string | undefined;
  /** The headers of the answer, where there was one. */
  readonly headers: Headers | undefined;

  constructor(
    operation: Pick<Operation, "id" | "method">,
    url: string | undefined,
    {
      error,
      response,
      cause,
    }: { error: { code: string; message: string; status: number }; response?: Response | undefined; cause?: unknown },
  ) {
    super(error.message, cause === undefined ? {} : { cause });
    this.operationId = operation.id;
    this.method = operation.method;
    this.url = url;
    this.status = error.status;
    this.code = error.code;
    this.requestId = response?.headers.get("X-Request-Id") ?? undefined;
    this.headers = response?.headers;
  }
}
