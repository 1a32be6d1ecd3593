import type { ResponseExchange } from "../call/exchange.ts";

/** Reads the body of a successful response, which has arrived, or arrives in parts if the operation streams it. */
export type Reader = (exchange: ResponseExchange) => unknown;

/** Reads a body as text. */
export function readText({ response }: ResponseExchange): Promise<string> {
  return response.text();
}
