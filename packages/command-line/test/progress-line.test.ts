import { expect, test } from "vitest";
import { type Count, lineOf } from "../src/progress.ts";

const rows = (done: number, total: number): Count => ({ done, total, unit: "rows" });
const bytes = (done: number, total: number): Count => ({ done, total, unit: "bytes" });

test.each<[string, Parameters<typeof lineOf>[0]]>([
  ["Checking", { task: "Checking", seconds: 0.9 }],
  ["Checking, 59 s", { task: "Checking", seconds: 59.9 }],
  ["Checking, 1 min 0 s", { task: "Checking", seconds: 60 }],
  ["Checking, 2 h 1 min", { task: "Checking", seconds: 7_270 }],
])("says how long a task takes: %s", (line, progress) => {
  expect(lineOf(progress)).toBe(line);
});

test.each<[string, number, Count, Count]>([
  ["0 of 9,000 rows (0%), 2 s", 2, rows(0, 9_000), rows(0, 9_000)],
  ["3,000 of 9,000 rows (33%), 1,500 rows/s, 4 s left", 2, rows(0, 9_000), rows(3_000, 9_000)],
  ["3,000 of 9,000 rows (33%), 500 rows/s, 12 s left", 2, rows(2_000, 9_000), rows(3_000, 9_000)],
  ["8,999 of 9,000 rows (99%), 4,500 rows/s, 1 s left", 2, rows(0, 9_000), rows(8_999, 9_000)],
  ["9,000 of 9,000 rows (100%), 2 s", 2, rows(0, 9_000), rows(9_000, 9_000)],
  ["0 of 0 rows (100%), 2 s", 2, rows(0, 0), rows(0, 0)],
  ["6 of 9 rows (66%), 1 min 0 s left", 120, rows(0, 9), rows(6, 9)],
  ["100 of 400 MiB (25%), 50 MiB/s, 6 s left", 2, bytes(0, 400 * 2 ** 20), bytes(100 * 2 ** 20, 400 * 2 ** 20)],
  ["401 of 400 MiB (100%), 2 s", 2, bytes(0, 400 * 2 ** 20), bytes(401 * 2 ** 20, 400 * 2 ** 20)],
])("says how much is done, and when it will be all: %s", (line, seconds, first, last) => {
  expect(lineOf({ task: "Copying", seconds, first, last })).toBe(`Copying: ${line}`);
});

test.each([
  [10, "30 s left"],
  [14, "26 s left"],
  [20, "20 s left"],
  [30, "30 s left"], // the second one takes longer than the first
])("counts down until the next one is due: after %d s, %s", (seconds, left) => {
  const progress = { task: "Copying", first: rows(0, 4), last: rows(1, 4), seconds, lastSeconds: 10 };
  expect(lineOf(progress)).toBe(`Copying: 1 of 4 rows (25%), ${left}`);
});
