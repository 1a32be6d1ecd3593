import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { stringifyYaml } from "@redocly/openapi-core";
import { parse } from "yaml";
import type { Impact } from "../comparison/compare.ts";
import type { BundledDocument } from "../bundle.ts";
import { ROOT } from "../paths.ts";

/** Returns the folder of a contract's releases, each as `<version>.yaml`. */
export function releasedBeside(contract: string): string {
  return join(dirname(contract), "released");
}

export interface Released {
  document: BundledDocument;
  version: Version;
}

/** The file of a released contract. */
export interface ReleasedFile {
  file: string;
  version: Version;
}

/** Returns the released contract with the highest version; undefined before the first release. */
export async function lastReleased(folder: string): Promise<Released | undefined> {
  const last = (await releasedFiles(folder)).at(-1);
  return last && { document: await readReleased(last), version: last.version };
}

/** Returns the files of the released contracts, the lowest version first. */
export async function releasedFiles(folder: string): Promise<ReleasedFile[]> {
  const names = await readdir(folder).catch(() => []);
  const released = names.flatMap((name) => {
    const version = parseVersion(name.replace(/\.yaml$/, ""));
    return version === undefined ? [] : { file: join(folder, name), version };
  });
  return released.toSorted((one, other) => compareVersions(one.version, other.version));
}

export async function readReleased({ file }: ReleasedFile): Promise<BundledDocument> {
  return parse(await readFile(file, "utf8")) as BundledDocument;
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
