import type { components, operations } from "./generated/schema.ts";
import type { OperationId } from "./operation.ts";

/**
 * The result of a call, a union to branch on by `ok` or `status`. Each status that the contract declares has its own body. Every
 * other status from 400 to 599 has the contract's `Error`. Status 0 is a `Failure`.
 */
export type Result<Id extends OperationId> = ResponseResults<operations[Id]["responses"]> | Failure;

/** The type of an operation's `data`. */
export type Data<Id extends OperationId> = Extract<Result<Id>, { ok: true }>["data"];

/** A promise of a `Result`. It rejects only for an invalid option, or if a callback throws. */
export interface Call<Id extends OperationId> extends Promise<Result<Id>> {
  /** Resolves to the data of a success. Rejects with a `PetstoreError` for any other result. */
  orThrow(): Promise<Data<Id>>;
}

/**
 * The items of a list, over all pages: `for await (const pet of …)`. The iteration sends the first request, and requests at most
 * one page ahead. It throws a `PetstoreError` if a page cannot be loaded, or if the links form a circle.
 */
export interface Items<Id extends OperationId> extends AsyncIterable<Item<Data<Id>>> {
  /** Iterates over whole pages. */
  pages(): AsyncIterable<Page<Id>>;
}

/** One page of a list. */
export interface Page<Id extends OperationId> {
  items: Data<Id>;
  /** The `cursor` of the next page, to continue later; undefined on the last page. */
  next: string | undefined;
  response: Response;
}

/** The type of a list's items. */
export type Item<List> = List extends readonly (infer Member)[] ? Member : never;

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
}

/** The error of a `Failure`, with the same fields as the contract's `Error`. */
export interface FailureError {
  code: FailureCode;
  /** A description for people. */
  message: string;
  status: 0;
}

/**
 * The code of a `Failure`:
 *
 * - `network_error`: the connection could not be made, or broke before or within the body.
 * - `timeout`: `timeout` or `attemptTimeout` passed.
 * - `aborted`: the `signal` was aborted.
 * - `unreadable_answer`: the response is outside the contract: an HTML page, an empty body, incomplete JSON, a redirect, an
 *   undeclared success. `response` has its status and headers.
 * - `unsendable_request`: a value cannot be sent, such as a header with a line break.
 */
export type FailureCode = "network_error" | "timeout" | "aborted" | "unreadable_answer" | "unsendable_request";

type ResponseResults<Responses> = {
  [Status in keyof Responses]: ResponseResult<Responses, Status>;
}[keyof Responses];

type ResponseResult<Responses, Status extends keyof Responses> = Status extends number
  ? `${Status}` extends `2${string}`
    ? { ok: true; status: Status; data: Json<Responses[Status]>; error?: undefined; response: Response }
    : { ok: false; status: Status; error: ErrorOf<Responses[Status]>; data?: undefined; response: Response }
  : {
      ok: false;
      status: Exclude<ErrorStatus, keyof Responses>;
      error: components["schemas"]["Error"];
      data?: undefined;
      response: Response;
    };

type Json<Declared> = Declared extends { content: { "application/json": infer Body } } ? Body : undefined;

/** A 304 has no body. Its error has the form of the contract's `Error` and the code `not_modified`. */
type ErrorOf<Declared> = Declared extends { content: { "application/json": infer Body } }
  ? Body
  : components["schemas"]["Error"];

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** The literals 400 to 599. Unlike `number`, they let a comparison with one status narrow the others. */
type ErrorStatus = AsNumber<`${4 | 5}${Digit}${Digit}`>;

type AsNumber<Text> = Text extends `${infer Value extends number}` ? Value : never;
