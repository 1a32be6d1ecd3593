import type { ContractChange, Impact } from "../comparison/diff.ts";

const HEADINGS = {
  breaking: "Breaking: change your calls",
  additive: "New, deprecated or relaxed",
  documentation: "Documentation",
} as const satisfies Record<Impact, string>;

/** The changelog entry of a version for the users of the contract, as Markdown with a section for each impact. */
export function changelogEntry(version: string, changes: ContractChange[]): string {
  const sections = Object.entries(HEADINGS).flatMap(([impact, heading]) => {
    const lines = changes
      .filter((change) => change.impact === impact)
      .map(({ place, message }) => `- \`${place}\`: ${message}`);
    return lines.length === 0 ? [] : [`### ${heading}\n\n${[...new Set(lines)].join("\n")}`];
  });
  return [`## ${version}`, ...(sections.length === 0 ? ["No changes."] : sections)].join("\n\n") + "\n";
}
