import { stringifyYaml } from "@redocly/openapi-core";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { parse } from "yaml";
import { ROOT } from "../paths.ts";
import type { Impact } from "../comparison/changes.ts";

/** The folder of the released contracts, each as `<version>.yaml`. */
export const RELEASED_FOLDER = resolve(ROOT, "openapi/released");

export interface Released {
  document: OpenAPI3;
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
  return { document: parse(await readFile(last.file, "utf8")) as OpenAPI3, version: last.version };
}

/** Saves a contract as released and returns the path of the file. Rejects if this version is released with other content. */
export async function release(document: OpenAPI3, folder: string): Promise<string> {
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
