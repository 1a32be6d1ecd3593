import type { Reader } from "./reader.ts";
import { readText } from "./read-body.ts";

/** The error of a body outside the contract. `problem` continues the sentence "The response 200 (type) …". */
export class UnreadableBody extends Error {
  override readonly name = "UnreadableBody";
  readonly problem: string;
  readonly text: string;
  constructor(problem: string, text: string, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
    this.text = text;
  }
}

/** Reads JSON. Rejects with `UnreadableBody` for a body that is missing, incomplete, or has an integer that would be rounded. */
export const readJson: Reader = async ({ operation, response, limit }) => {
  const text = await readText(response, limit);
  if (text === "") throw new UnreadableBody("has no body", text);
  const value = parseJson(text);
  if (value === null && !operation.isNullable) throw new UnreadableBody("has no body", text);
  return value;
};

/** Parses JSON. Throws `UnreadableBody` for text that is not JSON, and for an integer that a number would round. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableBody("is not JSON or is incomplete", text, cause);
  }
  const rounded = /\d{16}/.test(text) ? roundedInteger(text) : undefined;
  if (rounded !== undefined)
    throw new UnreadableBody(`has the integer ${rounded}, which a JavaScript number would round`, text);
  return value;
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Returns the first integer of a JSON text that a number cannot hold exactly. */
function roundedInteger(json: string): string | undefined {
  for (const [token] of json.matchAll(STRING_OR_NUMBER)) {
    if (token.length < 16 || !/^-?\d+$/.test(token)) continue;
    if (String(BigInt(token)) !== String(BigInt(Number(token)))) return token.slice(0, 40);
  }
  return undefined;
}
