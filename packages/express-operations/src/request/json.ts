import { printable } from "../problem.ts";

/** The deepest nesting of a value. */
export const MAX_DEPTH = 100;
/** A number from its first digit on. Its sign is irrelevant to its precision. */
const NUMBER = /[-\d.eE+]+/y;
/** An escaped surrogate (RFC 8259, section 7). After another backslash the same characters are plain text. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** JSON that cannot be parsed without a loss. */
export class JsonError extends SyntaxError {
  /** The names and indices from the root to the value. */
  readonly path: readonly (string | number)[];

  constructor(message: string, path: readonly (string | number)[] = []) {
    super(message);
    this.path = path;
  }
}

/** The text is not JSON. */
class NotJsonError extends JsonError {
  constructor() {
    super("is not valid JSON. Check its quotation marks, commas and brackets");
  }
}

/** Returns the value of a JSON text, or undefined for other text. Throws a `JsonError` for JSON that parsing would change. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NotJsonError) return undefined;
    throw error;
  }
}

/**
 * Parses JSON (RFC 8259) and rejects silent losses. Throws a `NotJsonError` for other text, and a `JsonError` for:
 *
 * - a duplicate name in an object
 * - an integer that a double would change
 * - a lone surrogate, which UTF-8 cannot encode (RFC 7493, section 2.1)
 * - nesting deeper than 100
 *
 * The messages repeat nothing of the input except a field name that is a plain word.
 */
export function parseJson(text: string, allowsRounding = false): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NotJsonError();
  }
  if (nestsDeeper(value, MAX_DEPTH)) throw new JsonError(`nests deeper than the ${MAX_DEPTH} levels allowed`);
  if (SURROGATE.test(text)) expectNoLoneSurrogates(value, "");
  if (JSON.stringify(value) !== text) expectNothingLost(text, allowsRounding); // text that serializes to itself has lost nothing
  return value;
}

/** The values of JSON texts with their numbers as texts, by value. */
const exactNumbers = new WeakMap<object, unknown>();

/** Returns a value of `parseJsonWithNumbers` with its numbers as texts. */
export function exactNumbersOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? exactNumbers.get(value) : undefined;
}

/** Parses an object or a list as `parseJson` does, but rounds numbers and keeps their texts. */
export function parseJsonWithNumbers(text: string): unknown {
  const value = parseJson(text, true);
  if (typeof value !== "object" || value === null) return parseJson(text);
  const textOf = (_: string, own: unknown, { source }: { source?: string }) => (typeof own === "number" ? source : own);
  exactNumbers.set(value, (JSON.parse as (text: string, reviver: typeof textOf) => unknown)(text, textOf));
  return value;
}

/** Throws if a string or a name contains a lone surrogate. `name` is the name of the field. */
function expectNoLoneSurrogates(value: unknown, name: string): void {
  if (typeof value === "string" && !value.isWellFormed()) {
    const where = printable(name) === undefined ? "" : ` in field "${name}"`;
    throw new JsonError(`contains half of a character (a lone surrogate)${where}. Send whole characters`);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    expectNoLoneSurrogates(key, name);
    expectNoLoneSurrogates(item, Array.isArray(value) ? name : key);
  }
}

/** Returns whether a value has more levels of objects and lists than these. */
export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const item of Array.isArray(value) ? value : Object.values(value))
    if (nestsDeeper(item, levels - 1)) return true;
  return false;
}

/**
 * Throws for duplicate names and inexact integers. The first character of each token identifies its kind, because
 * `JSON.parse` has accepted the text.
 */
function expectNothingLost(text: string, allowsRounding: boolean): void {
  const names: (Set<string> | undefined)[] = [];
  const path: (string | number)[] = []; // of the current value
  let last = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      const start = at;
      at = endOfString(text, at);
      last = text.slice(start, at + 1);
    } else if (character === ":") {
      const known = names.at(-1)!;
      const name = last.includes("\\") ? (JSON.parse(last) as string) : last.slice(1, -1);
      path[path.length - 1] = name;
      if (known.has(name)) throw new JsonError(`contains ${fieldNamed(name)} twice. Give it once`, path);
      known.add(name);
    } else if (character === "{" || character === "[") {
      names.push(character === "{" ? new Set() : undefined);
      path.push(character === "{" ? "" : 0);
    } else if (character === "," && names.at(-1) === undefined) {
      path[path.length - 1] = (path.at(-1) as number) + 1;
    } else if (character === "}" || character === "]") {
      names.pop();
      path.pop();
    } else if (character >= "0" && character <= "9") {
      NUMBER.lastIndex = at;
      const [literal] = NUMBER.exec(text)!;
      if (!allowsRounding && !isExact(literal)) {
        const field = path.findLast((key) => typeof key === "string") ?? "";
        const where = printable(field) === undefined ? "" : ` in ${fieldNamed(field)}`;
        throw new JsonError(
          `contains a number${where} that cannot be represented exactly. Send one with fewer digits`,
          path,
        );
      }
      at += literal.length - 1;
    }
  }
}

function fieldNamed(name: string): string {
  return printable(name) === undefined ? "a field" : `field "${name}"`;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

/**
 * Returns whether a double holds the integer that a literal means, and no integer in place of a fraction. Fractions may be
 * rounded, and so may integers with an exponent that are not safe. Every number that `JSON.stringify` writes for a double
 * is exact.
 */
export function isExact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (literal.length < 16 && value !== 0) return true; // doubles represent all decimals of up to 15 digits distinctly
  const plain = literal.replace(/\.0+$/, "");
  if (!/[.eE]/.test(plain)) {
    return Number.isSafeInteger(value) || String(value) === plain || BigInt(plain) === BigInt(value);
  }
  if (!Number.isSafeInteger(value)) return true;
  const [, whole = "", fraction = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)!;
  const digits = whole + fraction;
  const integerDigits = Math.max(0, whole.length + Number(exponent));
  if (/[1-9]/.test(digits.slice(integerDigits))) return false;
  const integer = digits.slice(0, integerDigits).padEnd(Math.min(integerDigits, 20), "0");
  return BigInt(integer || "0") === BigInt(value);
}
