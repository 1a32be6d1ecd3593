import { percent, printCauses } from "../../documents/census.ts";

/** The result of one document. */
export interface DocumentResult {
  name: string;
  operations: number;
  /** The error at start, if the document does not start. */
  startError?: string;
  /** The causes of operations without a success, with the operations. */
  failures: { operationId: string; cause: string }[];
  /** Invalid requests that were not refused. */
  accepted: { operationId: string; cause: string }[];
  invalid: number;
}

/** Prints the shares of what holds, and the causes of failures. */
export function report(results: DocumentResult[], maxCauses: number): void {
  const sum = (count: (result: DocumentResult) => number) => results.reduce((total, each) => total + count(each), 0);
  const operations = sum((result) => result.operations);
  const invalid = sum((result) => result.invalid);
  const refusals = results.flatMap(({ name, startError: cause }) => (cause === undefined ? [] : { name, cause }));
  const failures = withNames(results, "failures");
  const accepted = withNames(results, "accepted");
  const withoutRequest = failures.filter(({ cause }) => cause.startsWith("no request")).length;
  const successes = operations - failures.length;
  console.table({
    documents: results.length,
    start: percent(results.length - refusals.length, results.length),
    operations,
    success: percent(successes, operations),
    "success of requests": percent(successes, operations - withoutRequest),
    "invalid refused": percent(invalid - accepted.length, invalid),
  });
  printCauses("Documents that do not start", refusals, results.length, maxCauses);
  printCauses("Operations without their declared success", failures, operations, maxCauses);
  printCauses("Invalid requests that are not refused", accepted, invalid, maxCauses);
}

function withNames(results: DocumentResult[], key: "failures" | "accepted") {
  return results.flatMap((result) => result[key].map((failure) => ({ ...failure, name: result.name })));
}
