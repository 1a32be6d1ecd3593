import { expect, test } from "vitest";
import {
  costsBesideContract,
  costsOfChunks,
  costsOfContract,
  costsOfUnreadResponses,
  MOST_CPU,
  MOST_DELAY,
  PATHS,
} from "./costs.ts";

const TIMEOUT = { timeout: 600_000 };

test("no request to the API takes longer than its size justifies", TIMEOUT, async () => {
  const { costs, faults } = await costsOfContract();
  expect(faults).toEqual([]);
  expect(costs.length).toBeGreaterThan(3_000);
});

test("no request outside the API takes longer than its size justifies", TIMEOUT, async () => {
  const { costs, faults } = await costsBesideContract();
  expect(faults).toEqual([]);
  expect(costs.length).toBeGreaterThan(3_000);
});

test.each(PATHS)("a hundred clients that request %s and read no response cost little", TIMEOUT, async (path) => {
  const { megabytes, milliseconds } = await costsOfUnreadResponses(path);
  expect(megabytes).toBeLessThan(32);
  expect(milliseconds).toBeLessThan(MOST_DELAY);
});

test("a body in many small chunks takes at most 20 ms of CPU time", TIMEOUT, async () => {
  for (const [target, milliseconds] of Object.entries(await costsOfChunks()))
    expect(milliseconds, target).toBeLessThan(MOST_CPU);
});
