import { expect, test } from "vitest";
import { costsBesideContract, costsOfContract } from "./costs.ts";

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
