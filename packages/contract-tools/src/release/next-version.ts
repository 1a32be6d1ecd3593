import type { ContractChange, Impact } from "../comparison/diff.ts";
import { gravest } from "../comparison/ratings.ts";

/** The client's package. */
export const CLIENT = "@petstore/client";

/** What each kind of change to the contract makes of the client's next version (https://semver.org). */
const BUMPS = { breaking: "major", additive: "minor", documentation: "patch" } as const satisfies Record<
  Impact,
  string
>;
const ORDER = ["major", "minor", "patch", "none"];

/** What is read of a changeset: which version it gives each package. */
export interface Changeset {
  releases: { name: string; type: string }[];
}

/**
 * What is wrong with the client's pending changesets: together they have to raise its version as far as the changes to the
 * contract since its last release demand. Undefined when they do.
 */
export function nextVersionProblem(changes: ContractChange[], changesets: Changeset[]): string | undefined {
  const impact = gravest(changes.map((change) => change.impact));
  if (impact === undefined) return undefined;
  const required = BUMPS[impact];
  const announced = changesets.flatMap(({ releases }) => releases).filter(({ name }) => name === CLIENT);
  if (announced.some(({ type }) => ORDER.indexOf(type) <= ORDER.indexOf(required))) return undefined;
  return (
    `The most severe change to the contract since its last release is ${impact}, so ${CLIENT} needs a changeset ` +
    `for a ${required} version. Run: npx -y pnpm@12.21.0 exec changeset --${required} ${CLIENT} ` +
    `--message "what changes for its users"`
  );
}
