import { unreadable } from "../call/call-failure.ts";
import { readText } from "./read-body.ts";
import type { Reader } from "./reader.ts";

/** Reads JSON. Rejects for a body that is missing, incomplete, or has an integer that would be rounded. */
export const readJson: Reader = async (exchange) => {
  const text = await readText(exchange);
  return checkNull(text && parseJson(text), text, exchange.operation);
};

/** Returns a JSON value. Throws for a missing body, and for a `null` that the contract does not declare. */
export function checkNull(value: unknown, text: string, { isNullable }: { readonly isNullable?: boolean }): unknown {
  if (!text || (value === null && !isNullable)) throw unreadable("has no body", text);
  return value;
}

/** Parses JSON. Throws for text that is not JSON, and for an integer that a number would round. */
export function parseJson(text: string): unknown {
  const value = parseRounding(text);
  if (/\d{16}/.test(text)) rejectRounded(text);
  return value;
}

/** Parses JSON, and rounds integers as JavaScript does. Throws for text that is not JSON. */
export function parseRounding(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable("is not JSON or is incomplete", text, cause);
  }
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Throws for the first integer of a JSON text that a number cannot hold exactly. */
function rejectRounded(text: string): void {
  for (const [token] of text.matchAll(STRING_OR_NUMBER))
    if (/^-?\d{16,}$/.test(token) && BigInt(token) !== BigInt(Number(token)))
      throw unreadable(`has the integer ${token.slice(0, 40)}, which a JavaScript number would round`, text);
}
