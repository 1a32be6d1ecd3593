import { describe, expect, test } from "vitest";
import { compilePattern } from "../src/pattern.ts";

describe("compilePattern", () => {
  test.each([
    [String.raw`^\p{L}$`, "é", true],
    ["^.$", "😀", true],
    [String.raw`^[\w\-\.]+$`, "a-b.c", true],
    [String.raw`^[\w\-\.]+$`, "a b", false],
    [String.raw`^\@\!$`, "@!", true],
    ["^{a}$", "{a}", true],
    [String.raw`^\\p{\-}$`, String.raw`\p{-}`, true],
    [String.raw`^\p{XDigit}{2}\-$`, "aF-", true],
    [String.raw`^\p{XDigit}{2}\-$`, "aG-", false],
    [String.raw`^[\p{Alnum}-_]+$`, "a-_", true],
    [String.raw`^[\p{Alnum}-_]+$`, "~", false],
    [String.raw`^[\p{Graph}\x20]*$`, "a b", true],
    [String.raw`^[\p{Graph}\x20]*$`, "a\tb", false],
    [String.raw`^[^\p{Punct}]+$`, "a]", false],
    [String.raw`^(\p{LD}|\p{Punct}| )+$`, "é1 !", true],
    [String.raw`^[\p{all}]$`, "\n", true],
    [String.raw`\A\S[\p{Print}]*\z`, "ab", true],
    [String.raw`\A\S[\p{Print}]*\z`, "ab\n", false],
    [String.raw`\A[\A]\Z`, "A", true],
  ])("compiles %s", (source, text, matches) => {
    expect(compilePattern(source).test(text)).toBe(matches);
  });

  test.each([
    "(",
    "[b-a]",
    String.raw`[\p{javaMirrored}]*`,
    String.raw`\p{Thai}{8}\-`,
    String.raw`[\p{Print}&&[^|:/]]+`,
    String.raw`\u{110000}`,
    String.raw`\\\p{Odd}`,
  ])("throws for %s, which has no meaning without the flag either", (source) => {
    expect(() => compilePattern(source)).toThrow(SyntaxError);
  });
});
