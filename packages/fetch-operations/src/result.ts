/** A declared success. `data` is its body, undefined without one. */
export interface Success<Status, Data> {
  ok: true;
  status: Status;
  data: Data;
  error?: undefined;
  response: Response;
  /** The id under which the service logs the request, from the response. */
  requestId: string | undefined;
}

/** A success of an operation that declares several media types. `contentType` is the declared one. */
export interface SuccessOfType<Status, Data, Type> extends Success<Status, Data> {
  contentType: Type;
}

/** A declared error. `error` is its body. */
export interface ErrorResponse<Status, Body> {
  ok: false;
  status: Status;
  error: Body;
  data?: undefined;
  response: Response;
  /** The id under which the service logs the request, from the response. */
  requestId: string | undefined;
}

/** The error of a status that the contract declares without a body. */
export interface EmptyError<Status = number> {
  /** `http_` and the status, or `not_modified`. */
  code: string;
  message: string;
  status: Status;
}

/** The error of a status that the contract does not declare, or of a redirect. */
export interface UndeclaredError<Status = number> {
  /** The code of the body, `http_` and the status, or `not_modified`. */
  code: string;
  message: string;
  status: Status;
  /** The body, without credentials: JSON, or else text; undefined without one. */
  body: unknown;
  httpStatus: number;
  headers: Headers;
  /** The media type of the response. */
  contentType: string | undefined;
  /** The first bytes of the body, at most 1,024, without credentials. */
  bodyStart: string;
}

/** A call without a valid response: none arrived, or the response is outside the contract. */
export interface Failure {
  ok: false;
  status: 0;
  error: FailureError;
  data?: undefined;
  /** The error that `fetch` threw, the reason of the `signal`, or the `SyntaxError` of the body; undefined without one. */
  cause: unknown;
  /** The invalid or incomplete response, if one arrived, such as a proxy's page. Its body has been read. */
  response: Response | undefined;
  requestId: string | undefined;
}

/** The error of a `Failure`. The facts of the response are undefined if none arrived. */
export interface FailureError {
  code: FailureCode;
  /** A description for people. */
  message: string;
  status: 0;
  /** The status of the response. */
  httpStatus?: number;
  headers?: Headers;
  /** The media type of the response. */
  contentType?: string | undefined;
  /** The first bytes of the body, at most 1,024, without credentials. */
  bodyStart?: string | undefined;
}

/**
 * The code of a `Failure`:
 *
 * - `network_error`: the connection could not be made, or broke before or within the body.
 * - `timeout`: `timeout`, `attemptTimeout` or `idleTimeout` passed.
 * - `aborted`: the `signal` was aborted.
 * - `unreadable_answer`: a declared response has a body outside the contract: an HTML page, none, incomplete JSON. Also an undeclared
 *   status below 400 that is not registered, such as 299, and in browsers a redirect, whose status they hide.
 * - `response_too_large`: the body is larger than `maxResponseBytes`.
 * - `unsendable_request`: a value cannot be sent, such as a header with a line break or a path parameter `..`.
 * - `token_error`: no token could be fetched.
 */
export type FailureCode =
  | "network_error"
  | "timeout"
  | "aborted"
  | "unreadable_answer"
  | "response_too_large"
  | "unsendable_request"
  | "token_error";

/** The members of each result. */
export type AnyResult = { ok: true; data: unknown } | { ok: false };

/** The type of a result's `data`. */
export type DataOf<Result> = Extract<Result, { ok: true }> extends { data: infer Data } ? Data : never;

/** A promise of a result. It rejects only for an invalid option, or if one of your functions throws. */
export interface Call<Result> extends Promise<Result> {
  /** Resolves to the data of a success. Rejects with an `OperationError` for any other result. */
  orThrow(): Promise<DataOf<Result>>;
}

/**
 * The items of a list, over all pages: `for await (const pet of …)`. The iteration sends the first request, and requests at most
 * one page ahead. It throws an `OperationError` if a page cannot be loaded, or if the pages form a circle.
 */
export interface Items<Result, Item> extends AsyncIterable<Item> {
  /** Iterates over whole pages. */
  pages(): AsyncIterable<Page<Result, Item>>;
}

/** One page of a list. */
export interface Page<Result, Item> {
  items: Item[];
  /** The body of the response. */
  data: DataOf<Result>;
  /** The value of the argument that requests the next page, to continue later; undefined on the last page. */
  next: string | undefined;
}

/** The statuses from 400 to 599 as literals. Unlike `number`, they let a comparison with one status narrow the others. */
export type ErrorStatus = StatusOf<4> | StatusOf<5>;

/** The statuses from 200 on as literals. Below 400, they are the registered ones, because 200 literals would slow the compiler. */
export type ResponseStatus =
  | (200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226)
  | (300 | 301 | 302 | 303 | 304 | 305 | 306 | 307 | 308)
  | ErrorStatus;

/** The hundred statuses of a class as literals. */
export type StatusOf<Class extends 1 | 2 | 3 | 4 | 5> = AsNumber<`${Class}${Digit}${Digit}`>;

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

type AsNumber<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** A result of any operation. */
export type UntypedResult = SuccessResult | ErrorResult;

/** A declared success. */
export interface SuccessResult {
  ok: true;
  status: number;
  data: unknown;
  response: Response;
  requestId: string | undefined;
  contentType?: string | undefined;
}

/** A declared error, or a failure without a valid response. */
export interface ErrorResult {
  ok: false;
  status: number;
  error: unknown;
  cause?: unknown;
  response: Response | undefined;
  requestId: string | undefined;
}
