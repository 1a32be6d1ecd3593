import { expect, test } from "vitest";
import { sampleOf } from "../measuring/figures.ts";

test("sampleOf returns the same items for the same seed, in another order for another seed, and each once", () => {
  const items = Array.from({ length: 100 }, (_, index) => index);
  expect(sampleOf(items, 10, 7)).toEqual(sampleOf(items, 100, 7).slice(0, 10));
  expect(sampleOf(items, 100, 8)).not.toEqual(sampleOf(items, 100, 7));
  expect(sampleOf(items, 100, 7).toSorted((a, b) => a - b)).toEqual(items);
});
