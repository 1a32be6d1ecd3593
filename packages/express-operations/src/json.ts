const MAX_DEPTH = 100;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\]:]/g;

/**
 * Parses JSON (RFC 8259) without losing anything silently: throws a SyntaxError on text that is not JSON, on a name
 * given twice in one object, on a number that a double would change where it means an integer, and on nesting
 * deeper than 100. Its messages never repeat the input.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SyntaxError("is not valid JSON");
  }
  try {
    inspect(text);
  } catch (error) {
    throw error instanceof RangeError ? new SyntaxError("is too intricate to be read") : error; // the stack of the regular expression
  }
  return value;
}

/** Reads the tokens of text that `JSON.parse` has accepted. */
function inspect(text: string): void {
  const names: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") {
      if (names.length === MAX_DEPTH) throw new SyntaxError(`nests deeper than ${MAX_DEPTH} levels`);
      names.push(token === "{" ? new Set() : undefined);
    } else if (token === "}" || token === "]") {
      names.pop();
    } else if (token === ":") {
      const known = names.at(-1)!;
      const name = JSON.parse(last) as string;
      if (known.has(name)) throw new SyntaxError("gives a field twice");
      known.add(name);
    } else if (token[0] !== '"' && !isExact(token)) {
      throw new SyntaxError("holds a number that cannot be represented exactly");
    }
    last = token;
  }
}

/**
 * Whether a double holds what the literal says, as far as the double is an integer; fractions are for a double to round.
 * What `JSON.stringify` writes of a double always counts as held.
 */
function isExact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (!/[.eE]/.test(literal)) {
    return Number.isSafeInteger(value) || String(value) === literal || BigInt(literal) === BigInt(value);
  }
  if (!Number.isSafeInteger(value)) return true;
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)!;
  const digits = whole + fraction;
  const integerDigits = Math.max(0, whole.length + Number(exponent));
  if (/[1-9]/.test(digits.slice(integerDigits))) return false;
  const integer = digits.slice(0, integerDigits).padEnd(Math.min(integerDigits, 20), "0");
  return BigInt(integer || "0") === BigInt(Math.abs(value));
}
