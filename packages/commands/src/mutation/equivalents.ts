import { readFileSync } from "node:fs";
import { describeMutant, type Mutant } from "./mutants.ts";

/** A mutant that nothing can tell from the code as it stands. */
export interface Equivalent {
  /** The package's folder and the file in it. */
  file: string;
  /** The line that the change begins in, without its indentation, so that the entry ends with the line. */
  line: string;
  /** As the report prints it. */
  change: string;
  reason: string;
}

/** The mutants that are named as equivalent, each with the reason. */
export function knownEquivalents(): Equivalent[] {
  return JSON.parse(readFileSync(new URL("equivalent-mutants.json", import.meta.url), "utf8")) as Equivalent[];
}

/** Those of a package, their files from its folder. */
export function equivalentsOf(folder: string): Equivalent[] {
  const prefix = `${folder}/`;
  return knownEquivalents()
    .filter(({ file }) => file.startsWith(prefix))
    .map((entry) => ({ ...entry, file: entry.file.slice(prefix.length) }));
}

/** Whether `mutant` of a file with this source is one of `equivalents`. */
export function isEquivalent(mutant: Mutant, source: string, equivalents: Equivalent[]): boolean {
  const text = source.split("\n")[mutant.line - 1]!.trim();
  return equivalents.some(
    ({ file, line, change }) => file === mutant.file && line === text && change === describeMutant(mutant),
  );
}
