import type { ServerResponse } from "node:http";

/** What is known of a request while it is served: one object for each, with the same fields from the start. */
export class RequestState {
  /** Sent with the response, whatever that becomes; what a handler sets goes before. */
  readonly headers: Record<string, string>;
  /** The request's own or the caller's `X-Request-Id`. */
  id: string | undefined = undefined;
  operationId: string | undefined = undefined;
  /** Whose API key has been accepted. */
  caller: { readonly id: number; readonly name: string } | undefined = undefined;
  traceId: string | undefined = undefined;
  /** The version of the data that the request is answered from; undefined where that cannot be told. */
  dataVersion: number | undefined = undefined;

  constructor(headers: Record<string, string>) {
    this.headers = headers;
  }
}

const STATE = Symbol("the state of a request");

interface WithState {
  [STATE]?: RequestState;
}

/** Begins the state of the request that a response answers. */
export function beginState(response: ServerResponse, headers: Record<string, string>): RequestState {
  return ((response as WithState)[STATE] = new RequestState(headers));
}

/** The state of the request that a response answers. Throws where it was not begun, which is a mistake in the order of middlewares. */
export function stateOf(response: ServerResponse): RequestState {
  const state = stateIfAny(response);
  if (state === undefined)
    throw new Error("The state of the request was not begun: put the middleware that does first.");
  return state;
}

/** The same, or undefined for what Node answers by itself, past every middleware. */
export function stateIfAny(response: ServerResponse): RequestState | undefined {
  return (response as WithState)[STATE];
}
