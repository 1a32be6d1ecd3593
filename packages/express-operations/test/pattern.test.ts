import { describe, expect, test } from "vitest";
import { compilePattern } from "../src/document/pattern.ts";
import { anyJson, serveEcho } from "./echo.ts";

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

test("a pattern that escapes more than the flag `u` allows validates parameters and bodies", async () => {
  const schema = { type: "string", pattern: String.raw`^[\w\-]+$` };
  const body = { type: "object", additionalProperties: false, patternProperties: { [String.raw`^x\-`]: schema } };
  const operation = {
    operationId: "x",
    parameters: [{ in: "query", name: "name", schema }],
    requestBody: { content: { "application/json": { schema: body } } },
    responses: anyJson,
  };
  await using server = await serveEcho({ "/x": { post: operation } });
  const statusOf = async (query: string, json: object) => {
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(json) };
    return (await fetch(`${server.baseUrl}/x?name=${query}`, init)).status;
  };
  expect(await statusOf("a-b", { "x-a": "a-b" })).toBe(200);
  expect(await statusOf("a%20b", {})).toBe(400);
  expect(await statusOf("a", { "x-a": "a b" })).toBe(400);
  expect(await statusOf("a", { xa: "a" })).toBe(400);
});
