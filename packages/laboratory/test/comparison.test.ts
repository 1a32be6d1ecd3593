import { compareContracts } from "openapi-contract/comparison";
import { expect, test } from "vitest";
import { CONTRACT_CHANGES } from "../comparison/contract-changes.ts";

type Documents = Parameters<typeof compareContracts>[0];

test("no break of a client is missed, and at most 2 % of the changes are false alarms", () => {
  const isRated = ({ before, after }: (typeof CONTRACT_CHANGES)[number]) =>
    compareContracts({ before, after } as unknown as Documents).some(({ impact }) => impact === "breaking");
  const wrong = CONTRACT_CHANGES.filter((change) => isRated(change) !== change.isBreaking);
  expect(CONTRACT_CHANGES.length).toBeGreaterThanOrEqual(450);
  expect(wrong.filter(({ isBreaking }) => isBreaking).map(({ kind }) => kind)).toEqual([]);
  expect(wrong.length).toBeLessThanOrEqual(CONTRACT_CHANGES.length * 0.02);
});
