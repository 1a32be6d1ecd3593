import type { ResponseExchange } from "../call/exchange.ts";

/** Reads the body of a successful response. */
export type Reader = (exchange: ResponseExchange) => unknown;
