import { expect, test } from "vitest";
import { type Count, lineOf } from "../src/progress.ts";

const rows = (done: number, total: number): Count => ({ done, total, unit: "rows" });
const bytes = (done: number, total: number): Count => ({ done, total, unit: "bytes" });

test.each<[string, number]>([
  ["Checking", 0.9],
  ["Checking, 59 s", 59.9],
  ["Checking, 1 min 0 s", 60],
  ["Checking, 2 h 1 min", 7_270],
])("says how long a task takes: %s", (line, seconds) => {
  expect(lineOf("Checking", seconds)).toBe(line);
});

test.each<[string, Count]>([
  ["0 of 9,000 rows (0%), 2 s", rows(0, 9_000)],
  ["8,999 of 9,000 rows (99%), 2 s", rows(8_999, 9_000)],
  ["9,000 of 9,000 rows (100%), 2 s", rows(9_000, 9_000)],
  ["0 of 0 rows (100%), 2 s", rows(0, 0)],
  ["100 of 400 MiB (25%), 2 s", bytes(100 * 2 ** 20, 400 * 2 ** 20)],
  ["401 of 400 MiB (100%), 2 s", bytes(401 * 2 ** 20, 400 * 2 ** 20)],
])("says how much is done: %s", (line, amount) => {
  expect(lineOf("Copying", 2, amount)).toBe(`Copying: ${line}`);
});
