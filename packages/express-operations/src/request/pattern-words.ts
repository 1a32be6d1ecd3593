import { listOf } from "../lists.ts";

/** Names of character ranges, by their first and last code point. */
const NAMED: Record<string, string> = {
  "61-7a": "letters a-z",
  "41-5a": "letters A-Z",
  "30-39": "digits",
  "21-7e": "visible ASCII characters",
  "20-7e": "printable ASCII characters",
  "0-7f": "ASCII characters",
  "0-1f": "control characters",
  "7f-7f": "control characters",
  "7f-9f": "control characters",
  "80-9f": "control characters",
  "20-20": "spaces",
  "-": "-",
  "d800-dfff": "lone surrogates",
  "\\d": "digits",
  "\\w": "letters a-z, letters A-Z, digits, _",
  "\\s": "white space",
  "\\p{L}": "letters",
  "\\p{N}": "digits",
  "\\p{Cc}": "control characters",
  "\\p{Cs}": "lone surrogates",
};

/** Matches a pattern of one character class with a quantifier, such as `^[a-z]{2,5}$`. */
const ONE_CLASS = /^\^\[(\^|(?!\^))((?:[^\]\\]|\\.)+)\](?:([+*])|\{(\d+)(?:(,)(\d*))?\})?\$$/s;
const TOKEN = /\\p\{\w+\}|\\u\{([\da-f]+)\}|\\u([\da-f]{4})|\\x([\da-f]{2})|\\.|./gisu;

/**
 * Returns the requirement of a pattern for a non-empty text, in words. Returns undefined unless the pattern is one
 * character class whose ranges have names.
 */
export function describePattern(pattern: string): string | undefined {
  const [, caret, content, quantifier, least, comma, most] = ONE_CLASS.exec(pattern) ?? [];
  if (content === undefined) return undefined;
  const names = namesIn(content);
  if (names === undefined) return undefined;
  const all = listOf(names, caret === "^" ? "or" : "and");
  const allowedCharacters = caret === "^" ? `must not contain ${all}` : `may contain only ${all}`;
  if (quantifier !== undefined) return allowedCharacters;
  const length =
    comma === undefined ? `exactly ${least ?? 1}` : most ? `from ${least} to ${most}` : `at least ${least}`;
  return `must have ${length} ${length === "exactly 1" || length === "at least 1" ? "character" : "characters"} and ${allowedCharacters}`;
}

/** Returns the names of a character class's ranges; undefined if one has no name. */
function namesIn(content: string): string[] | undefined {
  const tokens = [...content.matchAll(TOKEN)].map(tokenOf);
  const names = new Set<string>();
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const isRange = tokens[at + 1] === "-" && at + 2 < tokens.length;
    const last = isRange ? tokens[(at += 2)]! : token;
    const name = typeof token === "string" && !isRange ? NAMED[token] : nameOf(codeOf(token), codeOf(last));
    if (name === undefined) return undefined;
    names.add(name);
  }
  return [...names];
}

/** Returns a code point, or the text of a hyphen or a class such as `\d`; undefined for other escapes. */
function tokenOf([text, ...codes]: RegExpExecArray): string | number | undefined {
  const code = codes.find((digits) => digits !== undefined);
  if (code !== undefined) return Number.parseInt(code, 16);
  if (text === "-" || /^\\(?:[dws]|p\{)/.test(text)) return text;
  if (/^\\[a-z0-9]/i.test(text)) return undefined;
  return text.replace(/^\\/, "").codePointAt(0);
}

function codeOf(token: string | number | undefined): number | undefined {
  return token === "-" ? 0x2d : typeof token === "number" ? token : undefined;
}

function nameOf(first: number | undefined, last: number | undefined): string | undefined {
  if (first === undefined || last === undefined) return undefined;
  const name = NAMED[`${first.toString(16)}-${last.toString(16)}`];
  return name ?? (first === last && first > 0x20 && first < 0x7f ? String.fromCodePoint(first) : undefined);
}
