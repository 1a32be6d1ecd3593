import { unreadable } from "../call/call-failure.ts";
import { type Reader, readText } from "./read-body.ts";

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

/** Matches the strings and the numbers of a JSON text. */
export const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Whether a token of a JSON text is an integer that a number cannot hold exactly. */
export function isRounded(token: string): boolean {
  return /^-?\d{16,}$/.test(token) && BigInt(token) !== BigInt(Number(token));
}

/** Throws for the first integer of a JSON text that a number cannot hold exactly. */
function rejectRounded(text: string): void {
  for (const [token] of text.matchAll(STRING_OR_NUMBER))
    if (isRounded(token))
      throw unreadable(`has the integer ${token.slice(0, 40)}, which a JavaScript number would round`, text);
}
