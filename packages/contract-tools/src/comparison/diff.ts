import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { compareContracts } from "./compare.ts";
import { placeFinder } from "./lines.ts";
import { IMPACTS, type Impact } from "./ratings.ts";
import { ROOT } from "../paths.ts";

export type { Impact } from "./ratings.ts";

/** One change from one contract to another. */
export interface ContractChange {
  impact: Impact;
  /** The operation or the part of the document, such as `GET /pets`. */
  place: string;
  /** The change, and the reason for its impact. */
  message: string;
  /** The place in the later contract or a file of it, relative to the root of the repository; absent for a removal. */
  at?: { file: string; line: number };
}

/** Returns the changes between two bundled contracts, the most severe first. `file` is the source of the later one. */
export async function contractChanges(before: OpenAPI3, after: OpenAPI3, file: string): Promise<ContractChange[]> {
  const placeOf = placeFinder(await readFile(file, "utf8"), resolve(file), after);
  const changes = compareContracts({ before, after }).map(({ at, ...change }): ContractChange => {
    const place = placeOf(at);
    return { ...change, ...(place && { at: { file: relative(ROOT, place.path), line: place.line } }) };
  });
  return changes.toSorted((one, other) => IMPACTS.indexOf(one.impact) - IMPACTS.indexOf(other.impact));
}
