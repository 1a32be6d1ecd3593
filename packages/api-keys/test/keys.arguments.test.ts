import { NAME as SERVICE } from "@platform/name";
import { InvalidArgumentError } from "commander";
import { describe, expect, test } from "vitest";
import { generateApiKey } from "../src/api-key.ts";
import {
  parseDuration,
  parseId,
  parseLimit,
  parseName,
  parseOverlap,
  parseSince,
  scopesParser,
} from "../src/keys.arguments.ts";

const parseScopes = scopesParser(["pets:read", "pets:write"]);
const HOUR = 3_600_000;

test.each<[(text: string) => unknown, string, unknown]>([
  [parseName, "x", "x"],
  [parseName, "Rex & Söhne 𝄞", "Rex & Söhne 𝄞"],
  [parseName, "x".repeat(100), "x".repeat(100)],
  [parseScopes, "pets:write", ["pets:write"]],
  [parseScopes, "pets:write, pets:read", ["pets:read", "pets:write"]],
  [parseScopes, "*", ["*"]],
  [parseDuration, "1s", 1_000],
  [parseDuration, "30m", 30 * 60_000],
  [parseDuration, "12h", 12 * HOUR],
  [parseDuration, "90d", 90 * 24 * HOUR],
  [parseDuration, "99999w", 99_999 * 7 * 24 * HOUR],
  [parseOverlap, "0", 0],
  [parseOverlap, "2h", 2 * HOUR],
  [parseId, "1", 1],
  [parseId, "9".repeat(15), 999_999_999_999_999],
  [parseLimit, "1", 1],
  [parseLimit, "999999", 999_999],
  [parseSince, "2026-12-05", Date.UTC(2026, 11, 5)],
  [parseSince, "2026-12-05T09:30Z", Date.UTC(2026, 11, 5, 9, 30)],
  [parseSince, "2026-12-05T09:30:15+01:00", Date.UTC(2026, 11, 5, 8, 30, 15)],
  [parseSince, "2026-12-05T09:30:15.250-01:30", Date.UTC(2026, 11, 5, 11, 0, 15, 250)],
])("%o reads %o as %o", (parse, text, value) => {
  expect(parse(text)).toEqual(value);
});

test("parseSince subtracts a duration from the current time", () => {
  const before = Date.now();
  const since = parseSince("2h") + 2 * HOUR;
  expect(since).toBeGreaterThanOrEqual(before);
  expect(since).toBeLessThanOrEqual(Date.now());
});

const NAME = "Give 1 to 100 characters, none of them a control character.";
const SCOPES = 'Give some of pets:read,pets:write, separated by commas, or "*" alone for all of them.';
const DURATION = "Give a whole number and one of s, m, h, d, w, such as 90d.";
const ID = `Give the number that \`${SERVICE} keys list\` shows.`;
const LIMIT = "Give a whole number from 1 to 999999.";
const SINCE = "Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z.";

describe.each<[(text: string) => unknown, string, string[]]>([
  [parseName, NAME, ["", "x".repeat(101), "a\nb", "a\u0000", "\u202e"]],
  [parseScopes, SCOPES, ["*,pets:read", "**", "pets:read,*"]],
  [parseScopes, SCOPES, ["", "pets", "pets:read,", "pets:read,pets:read", "pets:read pets:write", "PETS:READ"]],
  [parseDuration, DURATION, ["", "0d", "0", "90", "d", "1.5d", "-1d", "100000d", "90dd", "x90d", "90D", "1y"]],
  [parseOverlap, DURATION, ["", "00", "0d", "1"]],
  [parseId, ID, ["", "0", "01", "1x", "x1", "-1", "1.5", "9".repeat(16)]],
  [parseLimit, LIMIT, ["", "0", "01", "1x", "x1", "1000000"]],
  [parseSince, SINCE, ["", "yesterday", "0d", "2026", "2026-13-01", "x2026-12-05", "2026-12-05Z", "2026-12-05T09:30"]],
  [
    parseSince,
    SINCE,
    ["2026-12-05T9:30Z", "2026-12-05T09:30:15.Z", "+002026-12-05", "2026-12-05T09:30Zx", "2026-12-05T09:30+1"],
  ],
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
