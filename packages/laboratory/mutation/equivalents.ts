import { readFileSync } from "node:fs";
import { describeMutant, type Mutant } from "./mutants.ts";

/** A mutant that behaves like the original code, so that no test can kill it. */
export interface Equivalent {
  /** The path from the root of the repository. */
  file: string;
  /** The line in which the change begins, without its indentation. The entry becomes invalid when the line changes. */
  line: string;
  /** The change as `describeMutant` prints it. */
  change: string;
  reason: string;
}

/** Returns the mutants listed as equivalent, each with its reason. */
export function knownEquivalents(): Equivalent[] {
  return JSON.parse(readFileSync(new URL("equivalent-mutants.json", import.meta.url), "utf8")) as Equivalent[];
}

/** Returns the equivalent mutants of a package, with paths from its folder. */
export function equivalentsOf(folder: string): Equivalent[] {
  const prefix = `${folder}/`;
  return knownEquivalents()
    .filter(({ file }) => file.startsWith(prefix))
    .map((entry) => ({ ...entry, file: entry.file.slice(prefix.length) }));
}

/** Whether `mutant`, in a file with this source, is one of `equivalents`. */
export function isEquivalent(mutant: Mutant, source: string, equivalents: Equivalent[]): boolean {
  const text = source.split("\n")[mutant.line - 1]!.trim();
  return equivalents.some(
    ({ file, line, change }) => file === mutant.file && line === text && change === describeMutant(mutant),
  );
}
