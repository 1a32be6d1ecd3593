import type { components, operations } from "./generated/schema.ts";
import type { OperationId } from "./operation.ts";

/**
 * What became of a call. Branch on `ok`, or on `status`: each status that the contract declares has a member with its own
 * body, every other from 400 to 599 has the contract's `Error`, and 0 is a `Failure`. There is nothing else.
 */
export type Result<Id extends OperationId> = Answers<operations[Id]["responses"]> | Failure;

/** The `data` of an operation's success. */
export type Data<Id extends OperationId> = Extract<Result<Id>, { ok: true }>["data"];

/** A call under way: a promise of its `Result`. No failure rejects it, only a mistake in the options or in a callback. */
export interface Call<Id extends OperationId> extends Promise<Result<Id>> {
  /** The data of a success; anything else is thrown as a `PetstoreError`. */
  orThrow(): Promise<Data<Id>>;
}

/**
 * Every item of a list, page after page: `for await (const pet of …)`. Asks for nothing before it is iterated, and for at
 * most one page beyond the one whose items are being read. Throws a `PetstoreError` when a page cannot be had.
 */
export interface Items<Id extends OperationId> extends AsyncIterable<Item<Data<Id>>> {
  /** The same, a page at a time. */
  pages(): AsyncIterable<Page<Id>>;
}

/** One page of a list. */
export interface Page<Id extends OperationId> {
  items: Data<Id>;
  /** The `cursor` of the next page, to go on from here another time; undefined on the last. */
  next: string | undefined;
  response: Response;
}

/** One item of a list. */
export type Item<List> = List extends readonly (infer Member)[] ? Member : never;

/** No answer of the service: none came, or what came is not one that the contract knows. */
export interface Failure {
  ok: false;
  status: 0;
  error: FailureError;
  data?: undefined;
  /** What brought it about: what `fetch` threw, the reason of the `signal`, or the `SyntaxError` of a body. */
  cause: unknown;
  /** The answer, where one came that could not be read, such as a proxy's page. */
  response: Response | undefined;
}

/** The same fields as the contract's `Error`, for what the contract cannot speak of. */
export interface FailureError {
  code: FailureCode;
  /** What happened, in a sentence. */
  message: string;
  status: 0;
}

/**
 * - `network_error`: the connection could not be made, or broke, also in the middle of a body.
 * - `timeout`: `timeout` or `attemptTimeout` passed.
 * - `aborted`: the `signal` was aborted.
 * - `unreadable_answer`: an answer came that is none of the contract's: a page of HTML, an empty body, JSON that was cut
 *   off, a redirect, a success that is not declared. `response` has its status and headers.
 * - `unsendable_request`: a value cannot be sent, such as a header with a line break.
 */
export type FailureCode = "network_error" | "timeout" | "aborted" | "unreadable_answer" | "unsendable_request";

type Answers<Responses> = { [Status in keyof Responses]: Answer<Responses, Status> }[keyof Responses];

type Answer<Responses, Status extends keyof Responses> = Status extends number
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

type Json<Message> = Message extends { content: { "application/json": infer Body } } ? Body : undefined;

/** A 304, which has no body, has an error of the same form with the code `not_modified`. */
type ErrorOf<Message> = Message extends { content: { "application/json": infer Body } }
  ? Body
  : components["schemas"]["Error"];

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** 400 to 599, as literals: only these let a comparison with one status narrow the rest. */
type ErrorStatus = AsNumber<`${4 | 5}${Digit}${Digit}`>;

type AsNumber<Text> = Text extends `${infer Value extends number}` ? Value : never;
