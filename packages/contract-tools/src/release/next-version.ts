import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { PNPM } from "@platform/command-line";
import type { ContractChange, Impact } from "../comparison/compare.ts";
import { mostSevere } from "../comparison/changes.ts";
import { ROOT } from "../paths.ts";

/** The name of the client's package. */
export const CLIENT = nameOf("packages/client");

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
  const announced = changesets.flatMap(({ releases }) => releases).filter(({ name }) => name === CLIENT);
  if (announced.some(({ type }) => ORDER.indexOf(type) <= ORDER.indexOf(required))) return undefined;
  return (
    `The most severe change to the contract since its last release is ${impact}, so ${CLIENT} needs a changeset ` +
    `for a ${required} version. Run: ${PNPM} exec changeset --${required} ${CLIENT} ` +
    `--message "what changes for its users"`
  );
}

function nameOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(resolve(ROOT, folder, "package.json"), "utf8")) as { name: string };
  return manifest.name;
}
