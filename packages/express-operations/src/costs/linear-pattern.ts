import { type Concatenation, type Element, JS } from "refa";
import { RE2JS } from "re2js";
import { compilePattern, type Pattern, PLAIN } from "openapi-document";

/**
 * Compiles a pattern for RE2, whose time is linear in the text: the value of the option `compilePattern`. It matches the texts
 * that the pattern matches in ECMA-262 with the flag `u`. Throws for what RE2 lacks: back-references, assertions other than `^` and `$`, and
 * more than 1,000 repetitions of a part.
 */
export function linearPattern(source: string): Pattern {
  const regExp = compilePattern(source);
  if (PLAIN.test(source)) return regExp; // JavaScript is linear there, and counts further than RE2
  const { expression } = JS.Parser.fromLiteral(regExp).parse({
    assertions: "parse",
    backreferences: "unknown",
  });
  const expressionOfRe2 = RE2JS.compile(alternatives(expression.alternatives));
  return { test: (text) => expressionOfRe2.test(text), toString: () => `linear ${source}` };
}

function alternatives(list: readonly Concatenation[]): string {
  return `(?:${list.map(({ elements }) => elements.map(written).join("")).join("|")})`;
}

function written(element: Element): string {
  if (element.type === "CharacterClass") {
    const ranges = element.characters.ranges.map(({ min, max }) => `\\x{${min.toString(16)}}-\\x{${max.toString(16)}}`);
    return ranges.length === 0 ? "[^\\x{0}-\\x{10ffff}]" : `[${ranges.join("")}]`;
  }
  if (element.type === "Alternation") return alternatives(element.alternatives);
  if (element.type === "Quantifier") {
    const { min, max } = element;
    return `${alternatives(element.alternatives)}{${min},${max === Infinity ? "" : max}}`;
  }
  const isEdge =
    element.type === "Assertion" &&
    element.negate &&
    element.alternatives.length === 1 &&
    isAnyCharacter(element.alternatives[0]!);
  if (!isEdge) throw new Error("RE2 has no back-references, and no assertions other than ^ and $.");
  return element.kind === "behind" ? "\\A" : "\\z";
}

/** `^` and `$` are assertions that no character is before or after. */
function isAnyCharacter({ elements: [first, ...others] }: Concatenation): boolean {
  return others.length === 0 && first?.type === "CharacterClass" && first.characters.isAll;
}
