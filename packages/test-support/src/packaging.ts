import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

/**
 * Returns the problems that publint and attw find in a packed package. `esmOnly` are the entry points without CommonJS, such as
 * `./node`; the default is a package without CommonJS.
 */
export async function packagingProblems(tarball: string, esmOnly?: string[]): Promise<string[]> {
  const data = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: data.buffer } });
  const analysis = await checkPackage(createPackageFromTarballData(data));
  const problems: Problem[] = analysis.types === false ? [] : analysis.problems;
  return [
    ...messages.map((message) => formatMessage(message, pkg)!),
    ...(analysis.types === false ? ["attw: there are no types"] : []),
    ...problems
      .filter((problem) => !isOfRequire(problem, esmOnly))
      .map((problem) => `attw: ${JSON.stringify(problem)}`),
  ];
}

/** Whether the problem concerns `require` or the resolution of Node 10, as attw's profile `esm-only` ignores them. */
function isOfRequire(problem: Problem, esmOnly?: string[]): boolean {
  if (!("resolutionKind" in problem) || !["node10", "node16-cjs"].includes(problem.resolutionKind)) return false;
  return esmOnly === undefined || ("entrypoint" in problem && esmOnly.includes(problem.entrypoint));
}
