import type { Check, Finding } from "./release/check.ts";
import type { ContractChange, Impact } from "./comparison/compare.ts";

/** Text for people, JSON for programs, or annotations of a pull request on GitHub. */
export type Format = "text" | "json" | "github";

/** Formats the results of the checks. */
export function formatChecks(checks: Check[], format: Format): string {
  if (format === "json") return JSON.stringify({ passed: checks.every(hasPassed), checks }, null, 2);
  const findings = checks.flatMap((check) => check.findings.map((finding) => ({ ...finding, title: check.name })));
  if (format === "github") {
    const changes = checks.flatMap((check) => (hasPassed(check) ? [] : (check.changes ?? [])));
    const warnings = checks.flatMap(({ name: title, warnings: own = [] }) =>
      own.map((message) => annotation("notice", { title, message })),
    );
    const errors = findings.map((finding) => annotation("error", finding));
    return [...errors, ...warnings, ...changes.map(changeAnnotation)].join("\n");
  }
  return checks
    .map((check) => {
      const status = hasPassed(check) ? `ok      ${check.name}: ${check.passed}` : `failed  ${check.name}`;
      const lines = [
        ...check.findings.flatMap(({ message, at, frame = [] }) => [`${where(at)}${message}`, ...frame]),
        ...(check.warnings ?? []),
      ].map((line) => `          ${line}`);
      return [status, ...lines, ...(hasPassed(check) ? [] : (check.changes ?? []).map(changeLine))].join("\n");
    })
    .join("\n");
}

/** Formats changes. */
export function formatChanges(changes: ContractChange[], format: Format): string {
  if (format === "json") return JSON.stringify({ changes }, null, 2);
  if (format === "github") return changes.map(changeAnnotation).join("\n");
  return changes.length === 0 ? "The contract has not changed." : changes.map(changeLine).join("\n");
}

export function hasPassed({ findings }: Check): boolean {
  return findings.length === 0;
}

function changeLine({ impact, place, message, at }: ContractChange): string {
  return `          ${impact.padEnd(13)} ${place}: ${message}${at === undefined ? "" : ` (${at.file}:${at.line})`}`;
}

function changeAnnotation({ impact, place, message, at }: ContractChange): string {
  const level = impact === "breaking" ? "error" : "notice";
  return annotation(level, { title: impact, message: `${place}: ${message}`, ...(at && { at }) });
}

/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */
function annotation(level: "error" | "notice", { title, message, at }: Finding & { title: string }): string {
  const properties = { ...(at && { file: at.file, line: String(at.line) }), title };
  const listed = Object.entries(properties).map(
    ([name, value]) => `${name}=${escape(value).replaceAll(":", "%3A").replaceAll(",", "%2C")}`,
  );
  return `::${level} ${listed.join(",")}::${escape(message)}`;
}

function escape(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function where(at: Finding["at"]): string {
  return at === undefined ? "" : `${at.file}:${at.line}  `;
}

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
