/** `pnpm release:check`: fails if the changesets do not give the client the version that the contract's changes require. */
import { readChangesets } from "@changesets/read";
import { bundle, CONTRACT_FILE } from "../generate/bundle.ts";
import { contractChanges } from "../comparison/diff.ts";
import { lastReleased, RELEASED_FOLDER } from "./released.ts";
import { ROOT } from "../paths.ts";
import { nextVersionProblem } from "./next-version.ts";

const last = await lastReleased(RELEASED_FOLDER);
const changes =
  last === undefined ? [] : await contractChanges(last.document, await bundle(CONTRACT_FILE), CONTRACT_FILE);
const problem = nextVersionProblem(changes, await readChangesets(ROOT));
if (problem !== undefined) {
  console.log(process.argv.includes("--github") ? `::error title=The client's version::${problem}` : problem);
  process.exitCode = 1;
}
