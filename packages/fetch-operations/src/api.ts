import type { OperationDescription, Requirements } from "./operation.ts";
import type { ErrorResult } from "./result.ts";
import type { SecurityScheme } from "./parts/authentication.ts";

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

/**
 * Returns the code and the message of an error body, or undefined for a body that is not an error of the contract. The body is
 * undefined if the response has none. The media type is passed for a body that arrives.
 */
export type ErrorFormat = (
  body: unknown,
  status: number,
  contentType?: string | null,
) => readonly [code: string, message: string] | undefined;
