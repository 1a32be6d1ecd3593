/** Checks that a server, whatever it is built with, keeps to its OpenAPI document over HTTP. */
import type { Check } from "./conformance/check-maker.ts";
import { conformanceChecks } from "./conformance/checks.ts";
import type { Limits } from "./conformance/content-checks.ts";
import { type Cost, type CostReport, type CostTarget, searchCosts } from "./conformance/cost/search.ts";
import type { Credentials } from "./conformance/example-request.ts";
import { ConformanceError, type Target } from "./conformance/exchange.ts";
import { type ResponseValidator, responseValidator, type Example, exampleRequests } from "./conformance/wire.ts";
import type { OpenApiDocument } from "./document/document.ts";

export { type Check, conformanceChecks, ConformanceError, type Credentials, type Limits, type Target };
export { type ResponseValidator, responseValidator, type Example, exampleRequests };
export { type Cost, type CostReport, type CostTarget, searchCosts };
export type { CostlySchema } from "./document/costly-schemas.ts";

/** What the checks found, by operation. */
export interface ConformanceReport {
  passed: number;
  /** How many checks need something that the target does not give. */
  skipped: number;
  /** The message of each failed check, by operationId. */
  failures: Record<string, string[]>;
}

/**
 * Runs every check against a server, one after the other. The requests are real: what a valid one writes stays written.
 * Rejects when the server cannot be reached, or when the document gives no example for a value that it needs.
 */
export async function runConformance(
  document: OpenApiDocument,
  target: Target,
  limits?: Limits,
): Promise<ConformanceReport> {
  const report: ConformanceReport = { passed: 0, skipped: 0, failures: {} };
  for (const { operationId, needs, run } of conformanceChecks(document, limits)) {
    if (needs !== undefined && target[needs] === undefined) {
      report.skipped++;
      continue;
    }
    try {
      await run(target);
      report.passed++;
    } catch (error) {
      if (!(error instanceof ConformanceError)) throw error;
      (report.failures[operationId] ??= []).push(error.message);
    }
  }
  return report;
}
