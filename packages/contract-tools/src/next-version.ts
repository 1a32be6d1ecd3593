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

/** Whether the pending changesets suffice, and a message that says why or what to do. */
export interface NextVersion {
  isEnough: boolean;
  message: string;
}

/** Compares the client's next version by the pending changesets with the one that the contract's changes since its last release require. */
export function nextVersion(changes: ContractChange[], changesets: Changeset[]): NextVersion {
  const impact = mostSevere(changes.map((change) => change.impact));
  if (impact === undefined)
    return {
      isEnough: true,
      message: "The contract has not changed since its last release, so the client needs no changeset.",
    };
  const required = BUMPS[impact];
  const manifest = readFileSync(resolve(ROOT, "packages/client/package.json"), "utf8");
  const { name: client } = JSON.parse(manifest) as { name: string };
  const announced = changesets.flatMap(({ releases }) => releases).filter(({ name }) => name === client);
  const found = `The most severe change to the contract since its last release is ${impact}`;
  const enough = announced.find(({ type }) => ORDER.indexOf(type) <= ORDER.indexOf(required));
  if (enough !== undefined)
    return { isEnough: true, message: `${found}, and a changeset gives ${client} a ${enough.type} version.` };
  const message =
    `${found}, so ${client} needs a changeset for a ${required} version. ` +
    `Run: ${PNPM} exec changeset --${required} ${client} --message "what changes for its users"`;
  return { isEnough: false, message };
}
