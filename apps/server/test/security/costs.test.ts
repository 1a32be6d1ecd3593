import { document } from "@petstore/contract/document";
import { exampleRequests } from "express-operations/conformance";
import { expect, test } from "vitest";
import { costsOfContract } from "./costs.ts";

/** The input that once blocked the service for 1.4 s. */
const NOTORIOUS = "query undeclared[k0]=1&undeclared[k1]=1&…";
const OPERATIONS = Array.from(exampleRequests(document), ({ operationId }) => operationId);
/** One in so many of the other inputs is sent, from a random start. `COST_START` repeats the start of a failure. */
const STRIDE = 90;
const START = Number(process.env["COST_START"] ?? Math.floor(Math.random() * STRIDE));

test("no request takes longer than its size justifies, with names in brackets and a sample of all inputs", async () => {
  console.log(`COST_START=${START}`);
  let count = START;
  const { costs, faults } = await costsOfContract((_id, input) => input === NOTORIOUS || count++ % STRIDE === 0);
  expect(faults).toEqual([]);
  const refused = costs.filter(({ input, status }) => input === NOTORIOUS && status === 400);
  expect(refused.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(OPERATIONS));
  expect(costs.length).toBeGreaterThan(35);
  expect(costs.filter(({ status }) => status === 200 || status === 201).length).toBeGreaterThan(10);
});
