import { describe, expect, test } from "vitest";
import { InvalidArgumentError, parseDuration, parseTime } from "../src/index.ts";

const HOUR = 3_600_000;

test.each<[(text: string) => unknown, string, unknown]>([
  [parseDuration, "1s", 1_000],
  [parseDuration, "30m", 30 * 60_000],
  [parseDuration, "12h", 12 * HOUR],
  [parseDuration, "90d", 90 * 24 * HOUR],
  [parseDuration, "99999w", 99_999 * 7 * 24 * HOUR],
  [parseTime, "2026-12-05", Date.UTC(2026, 11, 5)],
  [parseTime, "2026-12-05T09:30Z", Date.UTC(2026, 11, 5, 9, 30)],
  [parseTime, "2026-12-05T09:30:15+01:00", Date.UTC(2026, 11, 5, 8, 30, 15)],
  [parseTime, "2026-12-05T09:30:15.250-01:30", Date.UTC(2026, 11, 5, 11, 0, 15, 250)],
])("%o reads %o as %o", (parse, text, value) => {
  expect(parse(text)).toEqual(value);
});

test("parseTime subtracts a duration from the current time", () => {
  const before = Date.now();
  const since = parseTime("2h") + 2 * HOUR;
  expect(since).toBeGreaterThanOrEqual(before);
  expect(since).toBeLessThanOrEqual(Date.now());
});

const DURATION = "Give a whole number and one of s, m, h, d, w, such as 90d.";
const TIME = "Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z.";

describe.each<[(text: string) => unknown, string, string[]]>([
  [parseDuration, DURATION, ["", "0d", "0", "90", "d", "1.5d", "-1d", "100000d", "90dd", "x90d", "90D", "1y"]],
  [parseTime, TIME, ["", "yesterday", "0d", "2026", "2026-13-01", "x2026-12-05", "2026-12-05Z", "2026-12-05T09:30"]],
  [
    parseTime,
    TIME,
    ["2026-12-05T9:30Z", "2026-12-05T09:30:15.Z", "+002026-12-05", "2026-12-05T09:30Zx", "2026-12-05T09:30+1"],
  ],
])("%o, with the error %s,", (parse, remedy, texts) => {
  test.each(texts)("rejects %o", (text) => {
    expect(() => parse(text)).toThrow(new InvalidArgumentError(remedy));
  });
});
