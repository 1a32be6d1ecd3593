/** The error of a JSON text that is no JSON, or has a number that JavaScript would change. */
export class JsonError extends Error {
  /** Continues the sentence "The text …". */
  readonly problem: string;
  constructor(problem: string, cause?: unknown) {
    super(`The text ${problem}.`, { cause });
    this.problem = problem;
  }
}

/**
 * Parses JSON, as `JSON.parse` does. Throws a `JsonError` for text that is not JSON, and for an integer that a number would round. With
 * openapi-fetch, take the text by `parseAs: "text"`.
 */
export function parseJson(text: string): unknown {
  const value = parseRounding(text);
  if (/\d{16}/.test(text)) rejectRounded(text);
  return value;
}

/** Parses JSON, and rounds integers as JavaScript does. Throws a `JsonError` for text that is not JSON. */
export function parseRounding(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonError("is not JSON or is incomplete", cause);
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
      throw new JsonError(`has the integer ${token.slice(0, 40)}, which a JavaScript number would round`);
}
