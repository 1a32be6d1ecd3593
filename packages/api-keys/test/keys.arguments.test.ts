import { NAME as SERVICE } from "@platform/command-line/name";
import { InvalidArgumentError } from "commander";
import { describe, expect, test } from "vitest";
import { generateApiKey } from "../src/api-key.ts";
import { parseId, parseName, parseOverlap, scopesParser } from "../src/keys.commands.ts";

const parseScopes = scopesParser(["pets:read", "pets:write"]);
const HOUR = 3_600_000;

test.each<[(text: string) => unknown, string, unknown]>([
  [parseName, "x", "x"],
  [parseName, "Rex & Söhne 𝄞", "Rex & Söhne 𝄞"],
  [parseName, "x".repeat(100), "x".repeat(100)],
  [parseScopes, "pets:write", ["pets:write"]],
  [parseScopes, "pets:write, pets:read", ["pets:read", "pets:write"]],
  [parseScopes, "*", ["*"]],
  [parseOverlap, "0", 0],
  [parseOverlap, "2h", 2 * HOUR],
  [parseId, "1", 1],
  [parseId, "9".repeat(15), 999_999_999_999_999],
])("%o reads %o as %o", (parse, text, value) => {
  expect(parse(text)).toEqual(value);
});

const NAME = "Give 1 to 100 characters, none of them a control character.";
const SCOPES = 'Give some of pets:read,pets:write, separated by commas, or "*" alone for all of them.';
const DURATION = "Give a whole number and one of s, m, h, d, w, such as 90d.";
const ID = `Give the number that \`${SERVICE} keys list\` shows.`;

describe.each<[(text: string) => unknown, string, string[]]>([
  [parseName, NAME, ["", "x".repeat(101), "a\nb", "a\u0000", "\u202e"]],
  [parseScopes, SCOPES, ["*,pets:read", "**", "pets:read,*"]],
  [parseScopes, SCOPES, ["", "pets", "pets:read,", "pets:read,pets:read", "pets:read pets:write", "PETS:READ"]],
  [parseOverlap, DURATION, ["", "00", "0d", "1"]],
  [parseId, ID, ["", "0", "01", "1x", "x1", "-1", "1.5", "9".repeat(16)]],
])("%o, with the error %s,", (parse, remedy, texts) => {
  test.each(texts)("rejects %o", (text) => {
    expect(() => parse(text)).toThrow(new InvalidArgumentError(remedy));
  });
});

test("parseName rejects a name with an API key, because names are stored and logged", () => {
  const holding = `for ${generateApiKey("production")}`;
  const remedy = "Give a name without an API key, since names are stored and logged.";
  expect(() => parseName(holding)).toThrow(new InvalidArgumentError(remedy));
});
