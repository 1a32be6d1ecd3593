import { unreadable } from "../call/call-failure.ts";
import { JsonError, parseJson } from "../parts/json.ts";
import { type Reader, readText } from "./read-body.ts";

/** Reads JSON. Rejects for a body that is missing, incomplete, or has an integer that would be rounded. */
export const readJson: Reader = async (exchange) => {
  const text = await readText(exchange);
  return checkNull(text && parsed(text), text, exchange.operation);
};

/** Returns a JSON value. Throws for a missing body, and for a `null` that the contract does not declare. */
export function checkNull(value: unknown, text: string, { isNullable }: { readonly isNullable?: boolean }): unknown {
  if (!text || (value === null && !isNullable)) throw unreadable("has no body", text);
  return value;
}

/** Parses the JSON of a response, by default exactly. */
export function parsed(text: string, parse: (text: string) => unknown = parseJson): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof JsonError) throw unreadable(error.problem, text, error.cause);
    throw error instanceof RangeError ? unreadable("is nested too deeply", text, error) : error;
  }
}
