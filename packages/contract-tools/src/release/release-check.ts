/** `pnpm release:check`: fails if the changesets do not give the client the version that the contract's changes require. */
import { createProgram, runProgram } from "@platform/command-line";
import { readChangesets } from "@changesets/read";
import { bundle, CONTRACT_FILE } from "../generate/bundle.ts";
import { contractChanges } from "../comparison/compare.ts";
import { lastReleased, RELEASED_FOLDER } from "./released.ts";
import { ROOT } from "../paths.ts";
import { nextVersionProblem } from "./next-version.ts";

const program = createProgram("release:check", {
  description: "Checks that the changesets give the client the version that the changes of the contract require.",
  folder: import.meta.dirname,
})
  .option("--github", "print an annotation of a pull request on GitHub")
  .action(check);

await runProgram(program);

async function check({ github }: { github?: true }): Promise<void> {
  const last = await lastReleased(RELEASED_FOLDER);
  const changes =
    last === undefined ? [] : await contractChanges(last.document, await bundle(CONTRACT_FILE), CONTRACT_FILE);
  const problem = nextVersionProblem(changes, await readChangesets(ROOT));
  if (problem === undefined) return;
  console.log(github ? `::error title=The client's version::${problem}` : problem);
  process.exitCode = 1;
}
