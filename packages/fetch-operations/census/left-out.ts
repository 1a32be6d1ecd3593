import type { Config } from "../src/generate/config.ts";
import type { Contract } from "../src/generate/contract-source.ts";
import { describedOperations } from "../src/generate/described-operations.ts";
import { Refusal } from "../src/generate/refusal.ts";

/** Returns settings that leave out each operation that the generator refuses. Adds the reasons to `reasons`. */
export function leftOut(contract: Contract, config: Config, reasons: string[]): Record<string, false> {
  const operations: Record<string, false> = {};
  for (;;) {
    try {
      describedOperations(contract.document, { ...config, operations });
      return operations;
    } catch (error) {
      if (!(error instanceof Refusal) || operations[error.operationId] === false) throw error;
      operations[error.operationId] = false;
      reasons.push(error.message);
    }
  }
}
