import type { OpenApiDocument } from "./objects.ts";

/** A compiled pattern. Different patterns have different strings. */
export interface Pattern {
  test: (text: string) => boolean;
  toString: () => string;
}

/** Compiles the patterns of a document. Throws for a pattern that it cannot run. */
export type CompilePattern = (source: string) => Pattern;

/** Characters and sets of characters, without quantifiers, groups and alternatives. */
const CHARACTERS = String.raw`(?:\\.|\[(?:\\.|[^\]\\])*\]|[^()|*+?{[\\])*`;

/** Matches anchored patterns without groups and with at most one quantifier. They are linear in each engine. */
export const PLAIN = new RegExp(String.raw`^\^${CHARACTERS}(?:(?:[*+]|\{\d+,?\d*\})${CHARACTERS})?$`);

const compilers = new WeakMap<OpenApiDocument, CompilePattern>();

/** Returns a copy of a document whose patterns `compile` compiles. */
export function withCompiler(document: OpenApiDocument, compile: CompilePattern): OpenApiDocument {
  const copy = { ...document };
  compilers.set(copy, compile);
  return copy;
}

/** Returns the compiler of a document from `withCompiler`, if it has one. */
export function compilerOf(document: OpenApiDocument): CompilePattern | undefined {
  return compilers.get(document);
}

/**
 * Compiles a pattern (ECMA-262; JSON Schema 2020-12, section 6.4) with the flag `u`. Many documents escape characters
 * that `u` does not allow to escape, such as `\-`. Their patterns are compiled without the flag. Anchors and classes of
 * Java that ECMA-262 lacks, such as `\A` and `\p{Graph}`, have the meaning of `java.util.regex.Pattern`. Throws for a
 * pattern that is invalid even so, and for other `\p{…}` and `\u{…}` in an invalid one, because they have another
 * meaning without the flag.
 */
export function compilePattern(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    const translated = withoutJava(source);
    if (translated !== source) return compilePattern(translated);
    if (NEEDS_UNICODE.test(source)) throw error;
    return new RegExp(source);
  }
}

const NEEDS_UNICODE = /(?<!\\)(?:\\\\)*\\[pPu]\{/;

const JAVA_ANCHORS: Record<string, string> = { "\\A": "^", "\\Z": "$", "\\z": "$" };

/** The classes of Java, as the content of a class. Each ends with a range, so that a following `-` stays a character. */
const JAVA_CLASSES: Record<string, string> = {
  Alnum: "0-9A-Za-z",
  Blank: " \\t-\\t",
  Cntrl: "\\x7f\\x00-\\x1f",
  Digit: "0-9",
  Graph: "!-~",
  Print: " -~",
  Punct: "!-\\/:-@\\[-`{-~",
  Space: " \\t-\\r",
  XDigit: "0-9A-Fa-f",
  IsAlphabetic: "\\p{Alphabetic}",
  IsDigit: "\\p{Nd}",
  IsLetter: "\\p{L}",
  LD: "\\p{L}\\p{Nd}",
  all: "\\s\\S",
};

/** Writes the anchors and classes of Java as ECMA-262 does, except in an intersection of classes, which it lacks. */
function withoutJava(source: string): string {
  if (source.includes("&&[")) return source;
  let isInClass = false;
  return source.replaceAll(/\\p\{\w+\}|\\[^]|[[\]]/g, (token) => {
    if (token === "[" || token === "]") isInClass = token === "[";
    const named = JAVA_CLASSES[token.slice(3, -1)];
    if (named !== undefined) return isInClass ? named : `[${named}]`;
    return isInClass ? token : (JAVA_ANCHORS[token] ?? token);
  });
}
