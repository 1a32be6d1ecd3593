import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

/** What publint and attw have to say against a packed package that is ESM alone, as each of ours is. */
export async function packagingProblems(tarball: string): Promise<string[]> {
  const data = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: data.buffer } });
  const analysis = await checkPackage(createPackageFromTarballData(data));
  const problems: Problem[] = analysis.types === false ? [] : analysis.problems;
  return [
    ...messages.map((message) => formatMessage(message, pkg)!),
    ...(analysis.types === false ? ["attw: there are no types"] : []),
    ...problems.filter((problem) => !isOfRequire(problem)).map((problem) => `attw: ${JSON.stringify(problem)}`),
  ];
}

/** Of those who `require`, and of the resolution of Node 10, as attw's profile `esm-only` leaves them out. */
function isOfRequire(problem: Problem): boolean {
  return "resolutionKind" in problem && ["node10", "node16-cjs"].includes(problem.resolutionKind);
}
