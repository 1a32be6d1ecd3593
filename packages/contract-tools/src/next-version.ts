import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { PNPM } from "@openapi-operations/command-line";
import { type ContractChange, type Impact, mostSevere } from "openapi-contract/comparison";
import { ROOT } from "openapi-contract/paths";

/** The version of the client that a change to the contract requires (https://semver.org). */
const BUMPS = { breaking: "major", additive: "minor", documentation: "patch" } as const satisfies Record<
  Impact,
  string
>;
const ORDER = ["major", "minor", "patch", "none"];

/** The part of a changeset in use: the kind of version that it gives each package. */
export interface Changeset {
  releases: { name: string; type: string }[];
}

/**
 * Returns a message if the pending changesets do not raise the client's version as far as the contract's changes since its
 * last release require.
 */
export function nextVersionProblem(changes: ContractChange[], changesets: Changeset[]): string | undefined {
  const impact = mostSevere(changes.map((change) => change.impact));
  if (impact === undefined) return undefined;
  const required = BUMPS[impact];
  const manifest = readFileSync(resolve(ROOT, "packages/client/package.json"), "utf8");
  const { name: client } = JSON.parse(manifest) as { name: string };
  const announced = changesets.flatMap(({ releases }) => releases).filter(({ name }) => name === client);
  if (announced.some(({ type }) => ORDER.indexOf(type) <= ORDER.indexOf(required))) return undefined;
  return (
    `The most severe change to the contract since its last release is ${impact}, so ${client} needs a changeset ` +
    `for a ${required} version. Run: ${PNPM} exec changeset --${required} ${client} ` +
    `--message "what changes for its users"`
  );
}
