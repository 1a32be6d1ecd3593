import { document } from "@petstore/contract/document";
import { exampleRequests } from "express-operations/conformance";
import { expect, test } from "vitest";
import { costsOfChunks, costsOfContract, costsOfUnreadResponses, MOST_CPU, MOST_DELAY } from "./costs.ts";

/** The input that once blocked the service for 1.4 s. */
const NOTORIOUS = "query undeclared[k0]=1&undeclared[k1]=1&…";
const OPERATIONS = Array.from(exampleRequests(document), ({ operationId }) => operationId);
/** One in so many of the other inputs is sent, from a random start. `COST_START` repeats the start of a failure. */
const STRIDE = 30;
const START = Number(process.env["COST_START"] ?? Math.floor(Math.random() * STRIDE));

test("no request takes longer than its size justifies, with names in brackets and a sample of all inputs", async () => {
  console.log(`COST_START=${START}`);
  let count = START;
  const { costs, faults } = await costsOfContract((_id, input) => input === NOTORIOUS || count++ % STRIDE === 0);
  expect(faults).toEqual([]);
  const refused = costs.filter(({ input, status }) => input === NOTORIOUS && status === 400);
  expect(refused.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(OPERATIONS));
  expect(costs.length).toBeGreaterThan(100);
  expect(costs.filter(({ status }) => status === 200 || status === 201).length).toBeGreaterThan(30);
});

const isLinux = process.platform === "linux"; // where memory and CPU time of a process are known

test.skipIf(!isLinux)(
  "a hundred clients that send requests and read no response cost little memory and no time of others",
  async () => {
    const { megabytes, milliseconds } = await costsOfUnreadResponses("/openapi.yaml");
    expect(megabytes).toBeLessThan(32);
    expect(milliseconds).toBeLessThan(MOST_DELAY);
  },
);

test.skipIf(!isLinux)("a body in many small chunks costs no more than another, or is refused", async () => {
  for (const [target, milliseconds] of Object.entries(await costsOfChunks()))
    expect(milliseconds, target).toBeLessThan(MOST_CPU);
});
