import type { DocumentResult } from "./result.ts";

/** Prints the shares of what holds, and the causes of failures. */
export function report(results: DocumentResult[], maxCauses: number): void {
  console.table(summaryOf(results));
  const operations = sum(results.map((result) => result.operations));
  const refusals = results.flatMap(({ name, startError }) =>
    startError === undefined ? [] : { name, cause: startError },
  );
  print("Documents that do not start", refusals, results.length, maxCauses);
  print("Operations without their declared success", withNames(results, "failures"), operations, maxCauses);
  print(
    "Invalid requests that are not refused",
    withNames(results, "accepted"),
    sum(results.map(({ invalid }) => invalid)),
    maxCauses,
  );
}

interface Failure {
  name: string;
  operationId?: string;
  fault?: string;
  cause: string;
}

function withNames(results: DocumentResult[], key: "failures" | "accepted"): Failure[] {
  return results.flatMap((result) => result[key].map((failure) => ({ ...failure, name: result.name })));
}

function summaryOf(results: DocumentResult[]) {
  const operations = sum(results.map((result) => result.operations));
  const failures = results.flatMap((result) => result.failures);
  const withoutRequest = failures.filter(({ cause }) => cause.startsWith("no request")).length;
  const successes = operations - failures.length;
  const invalid = sum(results.map((result) => result.invalid));
  const accepted = sum(results.map((result) => result.accepted.length));
  return {
    documents: results.length,
    "start %": percent(results.filter(({ startError }) => startError === undefined).length, results.length),
    operations,
    "success %": percent(successes, operations),
    "success of requests %": percent(successes, operations - withoutRequest),
    "invalid refused %": percent(invalid - accepted, invalid),
  };
}

function print(title: string, failures: Failure[], total: number, maxCauses: number): void {
  const groups = Map.groupBy(
    failures,
    ({ cause, fault }) => `${fault === undefined ? "" : `${fault}: `}${general(cause)}`,
  );
  const sorted = [...groups].toSorted(([, one], [, other]) => other.length - one.length);
  console.log(`\n${title}: ${failures.length} of ${total}`);
  for (const [cause, members] of sorted.slice(0, maxCauses)) {
    const [{ name, operationId, cause: example }] = members as [Failure];
    const documents = new Set(members.map((member) => member.name)).size;
    console.log(
      `${percent(members.length, total).padStart(7)} %  ${members.length} in ${documents} documents: ${cause}`,
    );
    console.log(`             ${name} ${operationId ?? ""}: ${example.slice(0, 300).replaceAll("\n", " ")}`);
  }
}

/** Replaces names and values of a message, so that equal causes are equal. */
function general(cause: string): string {
  return cause
    .slice(0, 200)
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, "…")
    .replaceAll(/#\/\S+/g, "#/…")
    .replaceAll(/\d+/g, (digits, at: number) => (at === 0 ? digits : "0"))
    .split("\n")[0]!;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "" : ((100 * part) / whole).toFixed(2);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
