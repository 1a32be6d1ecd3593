import { compatibilityCheck } from "@platform/contract-tools/check";
import { RELEASED_FOLDER } from "@platform/contract-tools/released";
import type { Contract } from "./contract.ts";
import { counted } from "./report.ts";
import { stubsIn } from "./stubs.ts";

const BREAKS =
  "This breaks existing clients. Add to the contract instead of changing it, or start a new major version.";

/** Returns the work on the contract before a commit: what `contract check` would find, except generated files. */
export async function remainingInContract(contract: Contract, contractPath: string): Promise<string[]> {
  const { document, changes, problems } = contract;
  const { findings, changes: sinceRelease } = await compatibilityCheck(document, contractPath, RELEASED_FOLDER);
  const isBreaking = changes.some(({ impact }) => impact === "breaking");
  const isAccepted = sinceRelease !== undefined && findings.length === 0; // by the version
  const styles = problems.filter(({ kind }) => kind === "style").length;
  return [
    ...(isBreaking && !isAccepted ? [BREAKS] : []),
    ...findings.map(({ message }) => message),
    ...(styles > 0 ? [`Correct the ${counted(styles, "place")} of style: contract check fails there.`] : []),
  ];
}

/** Returns the handlers to write before a commit. */
export function remainingStubs(root: string): string[] {
  const [first, ...others] = stubsIn(root);
  if (first === undefined) return [];
  const stub = `Write the handler ${first.id} in ${first.file}: its stub responds with 501.`;
  return others.length === 0 ? [stub] : [stub, `${counted(others.length, "more handler")} like it.`];
}
