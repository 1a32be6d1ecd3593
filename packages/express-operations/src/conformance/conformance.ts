/** Checks over HTTP that any server conforms to its OpenAPI document. */
import type { OpenApiDocument } from "openapi-document";
import { conformanceChecks, type Limits } from "./checks.ts";
import { ConformanceError, isUnreachable, type Target } from "./exchange.ts";

export type { Check } from "./check-maker.ts";
export { conformanceChecks, ConformanceError, type Limits, type Target };
export { type Cost, type CostReport, type CostTarget, searchCosts } from "./cost/search.ts";
export { type Credentials, type Example, exampleRequestMakers, exampleRequests } from "./example-request.ts";
export { type ResponseValidator, responseValidator } from "./response-assertion.ts";
export { validValue } from "../example/valid-value.ts";
export type { CostlySchema } from "../costs/costly-schemas.ts";

/** The result of all checks. */
export interface ConformanceReport {
  passed: number;
  /** The number of checks that need an option which the target lacks. */
  skipped: number;
  /** The message of each failed check, by operationId. */
  failures: Record<string, string[]>;
  /**
   * Why checks could not be made, by operationId: the document has no example for a required value, for instance. These
   * checks count as skipped.
   */
  unchecked: Record<string, string[]>;
}

/**
 * Runs every check against a server, one after another. The requests are real: valid ones write data. Rejects if the
 * server cannot be reached.
 */
export async function runConformance(
  document: OpenApiDocument,
  target: Target,
  limits?: Limits,
): Promise<ConformanceReport> {
  const report: ConformanceReport = { passed: 0, skipped: 0, failures: {}, unchecked: {} };
  for (const { operationId, needs, run } of conformanceChecks(document, limits)) {
    if (needs !== undefined && target[needs] === undefined) {
      report.skipped++;
      continue;
    }
    try {
      await run(target);
      report.passed++;
    } catch (error) {
      if (isUnreachable(error)) throw error;
      const { message } = error as Error;
      if (error instanceof ConformanceError) (report.failures[operationId] ??= []).push(message);
      else {
        report.skipped++;
        const reasons = (report.unchecked[operationId] ??= []);
        if (!reasons.includes(message)) reasons.push(message);
      }
    }
  }
  return report;
}
