/** `pnpm release:check`: whether the changesets give the client the version that the contract's changes demand. */
import { readChangesets } from "@changesets/read";
import { bundle, CONTRACT_FILE } from "@petstore/contract/bundle";
import { contractChanges } from "@petstore/contract/diff";
import { lastReleased, RELEASED_FOLDER } from "@petstore/contract/released";
import { resolve } from "node:path";
import { nextVersionProblem } from "./next-version.ts";

const root = resolve(import.meta.dirname, "../..");
const last = await lastReleased(RELEASED_FOLDER);
const changes =
  last === undefined ? [] : await contractChanges(last.document, await bundle(CONTRACT_FILE), CONTRACT_FILE);
const problem = nextVersionProblem(changes, await readChangesets(root));
if (problem !== undefined) {
  console.log(process.argv.includes("--github") ? `::error title=The client's version::${problem}` : problem);
  process.exitCode = 1;
}
