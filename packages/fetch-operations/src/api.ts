import type { OperationDescription, Requirements } from "./operation.ts";
import type { ErrorFormat } from "./error/error-format.ts";
import type { ErrorResult } from "./response/result-types.ts";
import type { SecurityScheme } from "./security/schemes.ts";

/** The parts of a contract that all its operations share, as the generator writes them. */
export interface Api {
  /** The name in messages and in the `User-Agent`. */
  readonly name: string;
  readonly version: string;
  /** The class of the errors that `orThrow()` throws. */
  readonly error: OperationErrorClass;
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** The security requirements of operations that declare none. */
  readonly security: Requirements;
  /** The URLs of the servers that single operations have, as the contract has them. */
  readonly servers?: readonly string[];
  /** The response header that identifies a request in the service's log. */
  readonly requestIdHeader: string;
  /** The format of the contract's errors. */
  readonly errors: ErrorFormat;
  /** The codes of errors that are transient, beside the statuses 408, 429, 502, 503 and 504. */
  readonly transientCodes?: readonly string[];
}

/** The class of a contract's errors. */
export type OperationErrorClass = new (
  api: Api,
  operation: Pick<OperationDescription, "id" | "method">,
  url: string | undefined,
  result: ErrorResult,
) => Error;
