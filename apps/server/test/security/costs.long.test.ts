import { expect, test } from "vitest";
import { costFaults } from "./costs.ts";

test("no request costs more than its size accounts for", { timeout: 600_000 }, async () => {
  expect(await costFaults(1)).toEqual([]);
});
