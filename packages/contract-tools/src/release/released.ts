import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { PNPM } from "@openapi-operations/command-line";
import { stringifyYaml } from "@redocly/openapi-core";
import { parse } from "yaml";
import { mostSevere } from "../comparison/changes.ts";
import type { ContractChange, Impact } from "../comparison/compare.ts";
import type { BundledDocument } from "../generate/bundle.ts";
import { ROOT } from "../paths.ts";

/** The folder of the released contracts, each as `<version>.yaml`. */
export const RELEASED_FOLDER = resolve(ROOT, "openapi/released");

export interface Released {
  document: BundledDocument;
  version: Version;
}

/** Returns the released contract with the highest version; undefined before the first release. */
export async function lastReleased(folder: string): Promise<Released | undefined> {
  const names = await readdir(folder).catch(() => []);
  const released = names.flatMap((name) => {
    const version = parseVersion(name.replace(/\.yaml$/, ""));
    return version === undefined ? [] : { file: join(folder, name), version };
  });
  const last = released.toSorted((one, other) => compareVersions(one.version, other.version)).at(-1);
  if (last === undefined) return undefined;
  return { document: parse(await readFile(last.file, "utf8")) as BundledDocument, version: last.version };
}

/** Saves a contract as released and returns the path of the file. Rejects if this version is released with other content. */
export async function release(document: BundledDocument, folder: string): Promise<string> {
  const target = join(folder, `${document.info.version}.yaml`);
  const text = stringifyYaml(document, { noRefs: true, lineWidth: -1 });
  await mkdir(folder, { recursive: true });
  const kept = await readFile(target, "utf8").catch(() => undefined);
  if (kept !== undefined && kept !== text) {
    const name = relative(ROOT, target);
    throw new Error(`${name} is already released with other content. Raise info.version in the contract.`);
  }
  await writeFile(target, text);
  return target;
}

/** A version number (https://semver.org). */
export type Version = [major: number, minor: number, patch: number];

/** Parses three numbers; undefined for any other string, since the contract has no pre-releases. */
export function parseVersion(text: string): Version | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** Orders versions for `sort`. */
export function compareVersions(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** The lowest version that changes of this impact may have after a release. */
export function versionAfter([major, minor, patch]: Version, impact: Impact): string {
  if (impact === "breaking") return `${major + 1}.0.0`;
  return impact === "additive" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

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
