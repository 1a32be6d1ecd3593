import type { Api } from "./api.ts";
import { keyOf, type OperationDescription } from "./operation.ts";
import type { ErrorResult, FailureError, UndeclaredError } from "./result.ts";

/** The error of a failed call, thrown by `orThrow()` and by iterations over pages. It never contains a credential. */
export class OperationError<Code extends string = string> extends Error {
  declare readonly name: string;
  /** The operationId. */
  declare readonly operationId: string;
  declare readonly method: string;
  /** The URL of the request; undefined if the request could not be sent. */
  declare readonly url: string | undefined;
  /** The status of the result: that of the response, or 0 for a declared status with another body, and without a response. */
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
    const [code, message] = factsOf(api, error, status);
    super(message, cause === undefined ? {} : { cause });
    Object.assign(this, {
      name: `${api.name}Error`, // not that of the class, which bundlers shorten
      operationId: id,
      method,
      url,
      status,
      code,
      requestId,
      ...factsOfResponse(response),
      bodyStart: status === 0 || isUndeclared(error) ? (error as FailureError).bodyStart : undefined,
    });
    Object.defineProperty(this, "error", { value: error }); // not shown by inspection, because it repeats the fields above
  }
}

/** Matches errors by `instanceof`, as a class does. It constructs none. */
export interface ErrorClass<Type> {
  [Symbol.hasInstance]: (value: unknown) => value is Type;
}

/** The status of an error, and its body: one that a contract with these results declares for the status. */
export interface DeclaredError<Result, Status> {
  readonly status: Status;
  readonly error: BodyOf<Result, Status>;
}

type BodyOf<Result, Status> = Result extends { ok: false; status: infer Own; error: infer Body }
  ? [Own & Status] extends [never]
    ? never
    : Exclude<Body, UndeclaredError>
  : never;

/** Returns the class of the errors of a client that have a status, or one of a range, and a body that the contract declares. */
export function errorOfStatus<Type>(
  base: abstract new (...args: never) => OperationError,
  status: number | "4XX" | "5XX",
): ErrorClass<Type> {
  return {
    [Symbol.hasInstance]: (value): value is Type =>
      value instanceof base && keyOf([status], value.status) !== undefined && !isUndeclared(value.error),
  };
}

/** Whether an error is that of an undeclared status. */
function isUndeclared(error: unknown): boolean {
  return typeof error === "object" && error !== null && "bodyStart" in error && "httpStatus" in error;
}

/** Returns the facts of a response that errors have, undefined without a response. */
export function factsOfResponse(response: Response | undefined): ResponseFacts {
  const headers = response?.headers;
  return { httpStatus: response?.status, headers, contentType: headers?.get("Content-Type") ?? undefined };
}

type ResponseFacts = Pick<OperationError, "httpStatus" | "headers" | "contentType">;

/** Returns the code and the message of an error: those of the contract's error, or those of the client. */
export function factsOf({ errors }: Pick<Api, "errors">, error: unknown, status: number): readonly [string, string] {
  const { code, message } = Object(error) as FailureError;
  return (status > 0 && errors(error, status)) || [code, message];
}
