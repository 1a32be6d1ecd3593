import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PNPM } from "@platform/command-line";
import { compatibilityCheck } from "@platform/contract-tools/check";
import { RELEASED_FOLDER } from "@platform/contract-tools/released";
import { operationsOf } from "openapi-document";
import type { Contract } from "./contract.ts";
import { counted, fixOf } from "./report.ts";
import type { Diagnostic } from "./typecheck.ts";

const BREAKS =
  "This breaks existing clients. Add to the contract instead of changing it, or start a new major version.";

const NOT_STORED =
  "If a table does not hold what the contract says, add a migration and the column: openapi/adding-an-operation.md#5-write-the-handler.";

/** Returns what to do about the errors of the compiler. */
export function fixes(root: string, diagnostics: Diagnostic[], contract: Contract | undefined): string[] {
  if (diagnostics.length === 0) return [];
  const isOfStorage = diagnostics.some(({ file }) => /^apps\/server\/src\/.*\.repository\.ts$/.test(file));
  const mayNeedMigration = isOfStorage && contract !== undefined && contract.changes.length > 0;
  return [fixOf(root, diagnostics), ...(mayNeedMigration ? [NOT_STORED] : [])];
}

/** Returns the command that writes a stub of a missing handler, if there is one. */
export function stubCommand(diagnostics: Diagnostic[], contract: Contract | undefined): string[] {
  const ids = new Set(contract && operationsOf(contract.document).map(({ id }) => id));
  const id = diagnostics
    .filter(({ file }) => file.startsWith("apps/server/src/"))
    .flatMap(({ message }) =>
      Array.from(message.join("\n").matchAll(/'(\w+)' is missing in type/g), ([, name]) => name!),
    )
    .find((name) => ids.has(name));
  return id === undefined ? [] : [`To create a stub of the handler: ${PNPM} scaffold ${id}`];
}

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

/** A handler that is not written yet: its operation, and its file from the root of the repository. */
interface Stub {
  id: string;
  file: string;
}

/** A line of a handler map that `scaffold` or `adopt` has written. */
const STUB = /^ +(?:([\w$]+)|"((?:[^"\\]|\\.)+)"): stub\(\),$/gm;

/** Returns the handlers of the service that are stubs, which respond with 501. */
function stubsIn(root: string): Stub[] {
  const files = globSync("apps/server/src/resources/**/*.handlers.ts", { cwd: root }).toSorted();
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return Array.from(text.matchAll(STUB), ([, name, quoted]) => ({ id: name ?? quoted!, file }));
  });
}
