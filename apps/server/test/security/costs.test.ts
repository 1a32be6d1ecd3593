import { expect, test } from "vitest";
import { costFaults } from "./costs.ts";

test("no request of a sample, another each time, costs more than its size accounts for", async () => {
  expect(await costFaults(1 / 30)).toEqual([]);
});
