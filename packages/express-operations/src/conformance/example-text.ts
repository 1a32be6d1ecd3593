import { FAIterators, getIntersectionIterator, JS, NFA, Words } from "refa";
import { compilePattern } from "../document/pattern.ts";

/** A larger automaton takes too long. */
const MAX_NODES = 20_000;

/**
 * Returns a text that matches a pattern, with a length in code points from `min` to `max`. Returns undefined if none is
 * found. The same input gives the same text.
 */
export function textMatching(pattern: string, min: number, max: number): string | undefined {
  const regExp = compilePattern(pattern);
  const isValid = (text: string) => {
    const { length } = Array.from(text); // JSON Schema counts characters, not units of UTF-16
    return length >= min && length <= max && regExp.test(text);
  };
  const lengths = `{${min},${max === Infinity ? "" : max}}`;
  // Printable characters of ASCII are preferred. A pattern that is not anchored allows characters after its match.
  const texts = [`[ -~]${lengths}`, `[^]${lengths}`, "[^]*"].flatMap((range) => shortestText(regExp, range) ?? []);
  return texts.flatMap((text) => [text, text.padEnd(min, "x")]).find(isValid);
}

/** Returns the shortest text that matches both a pattern and a range of texts. */
function shortestText(regExp: RegExp, range: string): string | undefined {
  try {
    const [matching, allowed] = [regExp, new RegExp(range, regExp.flags)].map(automatonOf);
    const words = FAIterators.shortestWordSet(getIntersectionIterator(matching!, allowed!, MAX_NODES));
    return words && Words.fromUnicodeToString(Words.pickMostReadableWord(words));
  } catch {
    return undefined; // refa does not support the pattern, or its automaton is too large
  }
}

/** Returns the automaton of a pattern without its assertions. */
function automatonOf(regExp: RegExp): NFA {
  const { expression, maxCharacter } = JS.Parser.fromLiteral(regExp).parse({ assertions: "parse" });
  const ignored = { assertions: "ignore" } as const;
  return NFA.fromRegex(expression, { maxCharacter }, ignored, new NFA.LimitedNodeFactory(MAX_NODES));
}
