import type { Impact } from "../comparison/ratings.ts";

/** A version number (https://semver.org). */
export type Version = [major: number, minor: number, patch: number];

/** Parses three numbers; undefined for any other text, since the contract has no pre-releases. */
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
