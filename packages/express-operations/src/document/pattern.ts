/**
 * Compiles a pattern (ECMA-262; JSON Schema 2020-12, section 6.4) with the flag `u`. Many documents escape characters
 * that `u` does not allow to escape, such as `\-`. Their patterns are compiled without the flag. Throws for a pattern
 * that is invalid either way, and for `\p{…}` and `\u{…}` in an invalid one, because they have another meaning without
 * the flag.
 */
export function compilePattern(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    if (NEEDS_UNICODE.test(source)) throw error;
    return new RegExp(source);
  }
}

const NEEDS_UNICODE = /(?<!\\)(?:\\\\)*\\[pPu]\{/;
