import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { compareContracts } from "./compare.ts";
import { lineFinder } from "./lines.ts";
import { GRAVITY, type Impact } from "./ratings.ts";
import { ROOT } from "../redocly.ts";

export type { Impact } from "./ratings.ts";

/** One change from one contract to another. */
export interface ContractChange {
  impact: Impact;
  /** The operation or the part of the document, such as `GET /pets`. */
  place: string;
  /** What changed, and why it is rated so. */
  message: string;
  /** Where it is in the later contract, from the root of the repository; a removal stands nowhere. */
  at?: { file: string; line: number };
}

/** What changed between two bundled contracts, the gravest first. `file` is where the later one is written. */
export async function contractChanges(before: OpenAPI3, after: OpenAPI3, file: string): Promise<ContractChange[]> {
  const lineOf = lineFinder(await readFile(file, "utf8"), after);
  const changes = compareContracts({ before, after }).map(({ at, ...change }): ContractChange => {
    const line = lineOf(at);
    return { ...change, ...(line !== undefined && { at: { file: relative(ROOT, file), line } }) };
  });
  return changes.toSorted((one, other) => GRAVITY.indexOf(one.impact) - GRAVITY.indexOf(other.impact));
}
