import { type CharSet, FAIterators, getIntersectionIterator, JS, NFA, Words } from "refa";
import { compilePattern } from "openapi-document";

/** A larger automaton takes too long. */
const MAX_NODES = 20_000;

/** A text for another variation is longer by fewer characters. */
const MAX_LONGER = 1_000;

/**
 * Returns a text that matches a pattern, with a length in code points from `min` to `max`. Returns undefined if none is
 * found. The same input gives the same text. Other variations give other texts: of the same length, or else longer ones.
 */
export function textMatching(pattern: string, min: number, max: number, variation = 0): string | undefined {
  const text = variedText(pattern, min, max, variation);
  if (variation === 0 || text === undefined || text !== variedText(pattern, min, max, 0)) return text;
  return variedText(pattern, Array.from(text).length + (variation % MAX_LONGER), max, 0);
}

function variedText(pattern: string, min: number, max: number, variation: number): string | undefined {
  const regExp = compilePattern(pattern);
  const fewer = compilePattern(withFewRepetitions(pattern, min));
  const isValid = (text: string) => {
    const { length } = Array.from(text); // JSON Schema counts characters, not units of UTF-16
    return length >= min && length <= max && regExp.test(text);
  };
  const lengths = `{${min},${max === Infinity ? "" : max}}`;
  // Printable characters of ASCII are preferred. A pattern that is not anchored allows characters after its match.
  for (const range of [`[ -~]${lengths}`, `[^]${lengths}`, "[^]*"]) {
    const text = shortestText(fewer, range, variation);
    const valid = text === undefined ? undefined : [text, text.padEnd(min, "x")].find(isValid);
    if (valid !== undefined) return valid;
  }
  return mixedTexts(min).find(isValid);
}

/** Returns a pattern that allows only some of the texts, because the automaton of many repetitions is too large. */
function withFewRepetitions(pattern: string, min: number): string {
  return pattern.replaceAll(/\{(\d+),(\d+)\}/g, (_, from: string, to: string) => {
    return `{${from},${Math.min(Number(to), Number(from) + Math.max(min, 16))}}`;
  });
}

/** Returns short texts with all kinds of characters, because the lookahead assertions of passwords ask for them. */
function mixedTexts(min: number): string[] {
  return Array.from({ length: 24 }, (_, more) => "aA1!".repeat(6).slice(0, more + 1)).filter(
    ({ length }) => length >= min,
  );
}

/** Returns the shortest text that matches both a pattern and a range of texts. */
function shortestText(regExp: RegExp, range: string, variation: number): string | undefined {
  try {
    const [matching, allowed] = [regExp, new RegExp(range, regExp.flags)].map(automatonOf);
    const words = FAIterators.shortestWordSet(getIntersectionIterator(matching!, allowed!, MAX_NODES));
    return words && Words.fromUnicodeToString(varied(Words.pickMostReadableWord(words), words, variation));
  } catch {
    return undefined; // refa does not support the pattern, or its automaton is too large
  }
}

/** Replaces characters of a word, the last one first. A variation counts through the letters and digits of each place. */
function varied(word: number[], places: readonly CharSet[], variation: number): number[] {
  const result = [...word];
  let rest = variation;
  for (let at = word.length - 1; at >= 0 && rest > 0; at--) {
    const others = READABLE.filter((character) => character !== word[at] && places[at]!.has(character));
    const choices = [word[at]!, ...others];
    result[at] = choices[rest % choices.length]!;
    rest = Math.floor(rest / choices.length);
  }
  return result;
}

const READABLE = Array.from("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", (character) =>
  character.codePointAt(0)!,
);

function automatonOf(regExp: RegExp): NFA {
  const { expression, maxCharacter } = JS.Parser.fromLiteral(regExp).parse({ assertions: "parse" });
  const ignored = { assertions: "ignore" } as const;
  return NFA.fromRegex(expression, { maxCharacter }, ignored, new NFA.LimitedNodeFactory(MAX_NODES));
}
