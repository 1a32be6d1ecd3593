import { Agent } from "node:http";
import { type ContenderName, CONTENDERS } from "./contenders.ts";
import { type DescribedOperation, type Description, operationsOf } from "./description.ts";
import { readDocument } from "../../documents/directory.ts";
import { exchange } from "./exchange.ts";
import { type Made, requestMaker, textOf } from "./made.ts";

/** The time that one library takes from a parsed document to its first response, or why there is none. */
export type Start = { milliseconds: number } | { failure: string };

// Some libraries print a line for each field of an unknown format.
Object.assign(console, { log: () => {}, warn: () => {}, error: () => {} });

const [contender, name] = process.argv.slice(2) as [ContenderName, string];
process.send!(await start());
process.exit();

async function start(): Promise<Start> {
  const document = readDocument(name) as Description;
  const operations = operationsOf(document);
  const made = firstRequest(document, operations);
  if (made?.valid === undefined) return { failure: "no operation has a valid request" };
  const began = performance.now();
  try {
    const served = await CONTENDERS[contender](document, operations, () => made.response);
    const { status } = await exchange(served, new Agent(), made.valid);
    if (status !== made.response.status) return { failure: `${status} instead of ${made.response.status}` };
    return { milliseconds: performance.now() - began };
  } catch (error) {
    return { failure: `does not start: ${textOf(error)}` };
  }
}

function firstRequest(document: Description, operations: DescribedOperation[]): Made | undefined {
  const make = requestMaker(document);
  for (const operation of operations) {
    const made = make(operation);
    if (made.valid !== undefined) return made;
  }
  return undefined;
}
