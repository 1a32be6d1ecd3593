import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { promisify } from "node:util";
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

/** The bundled contract, which needs no other file. */
const COMMITTED = "packages/contract/src/generated/openapi.json";
const SOURCE = "openapi/openapi.yaml";

/** Returns the bundled contract of a git revision. Rejects with the revision and git's message if there is none. */
export async function committedContract(revision: string): Promise<OpenAPI3> {
  return JSON.parse(await shown(revision, COMMITTED)) as OpenAPI3;
}

/** Returns the source of the contract in a git revision. Rejects as `committedContract` does. */
export function committedText(revision: string): Promise<string> {
  return shown(revision, SOURCE);
}

async function shown(revision: string, file: string): Promise<string> {
  try {
    const args = ["-C", ROOT, "show", "--end-of-options", `${revision}:./${file}`];
    const { stdout } = await promisify(execFile)("git", args, { maxBuffer: 2 ** 28 });
    return stdout;
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    throw new Error(`The git revision ${revision} has no contract: ${stderr.trim()}`, { cause: error });
  }
}
