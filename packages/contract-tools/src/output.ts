import { type ContractChange, type Impact, IMPACTS } from "./comparison/compare.ts";
import type { Check, Finding } from "./release/check.ts";

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

/** The largest summary of a step on GitHub is 1 MiB, which other commands of the step share. */
const MAX_BYTES = 768 * 1024;

const TITLES: Record<Impact, string> = {
  breaking: "Breaking: clients must change",
  additive: "Compatible: new, deprecated or relaxed",
  documentation: "Documentation",
};

/**
 * Formats changes for reviewers as GitHub's Markdown: the most severe first, by audience, each with its place in the contract.
 * The text is at most 768 KiB long. Text from the contract stays text.
 */
export function formatMarkdown(changes: ContractChange[]): string {
  return changes.length === 0 ? "## The contract has not changed\n" : bounded(summaryParts(changes));
}

/** Yields the parts of a summary one after the other, since one that is too long ends early. */
function* summaryParts(changes: ContractChange[]): Generator<string> {
  const impacts = IMPACTS.map((impact) => ({ impact, own: changes.filter((change) => change.impact === impact) }));
  const present = impacts.filter(({ own }) => own.length > 0);
  yield `## The contract changes: ${present.map(({ impact, own }) => `${own.length} ${impact}`).join(", ")}\n`;
  for (const { impact, own } of present) {
    yield `### ${TITLES[impact]}\n`;
    if (impact === "documentation") yield* entriesOf(own);
    else yield* audienceSections(own);
  }
}

function* audienceSections(changes: ContractChange[]): Generator<string> {
  const byAudience = Map.groupBy(changes, audienceOf);
  for (const [audience, title] of Object.entries(AUDIENCES)) {
    const own = byAudience.get(audience as Audience);
    if (own !== undefined) yield* [`#### ${title}\n`, ...entriesOf(own)];
  }
}

/** Merges changes with the same message and the same lines, such as those of a shared schema. */
function entriesOf(changes: ContractChange[]): string[] {
  const groups = Map.groupBy(changes, ({ message, at }) => JSON.stringify([message, at]));
  return Array.from(groups.values(), (group) => {
    const { message, at } = group[0]!;
    const places = new Set(group.map(({ place }) => `<code>${escaped(place)}</code>`));
    const line = at === undefined ? "" : ` (${escaped(at.file)}:${at.line})`;
    return `${[...places].join(", ")}: ${sentence(message)}${line}\n`;
  });
}

/** Escapes a message. Keywords in backticks stay code. */
function sentence(message: string): string {
  const parts = message.split(/(`[\w$-]+`)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : escaped(part))).join("");
}

/** Writes each character that Markdown or HTML gives a meaning as a character reference. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ")
    .replaceAll(/[^\p{L}\p{N}\s.,;:"'/(){}=%-]/gu, (character) => `&#${character.codePointAt(0)!};`);
}

function bounded(parts: Iterable<string>): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const part of parts) {
    bytes += Buffer.byteLength(part) + 1;
    if (bytes > MAX_BYTES) {
      return [...kept, "The summary ends here. `contract diff` lists every change.\n"].join("\n");
    }
    kept.push(part);
  }
  return kept.join("\n");
}

/** The people that a change concerns, each with their heading, in the order of a report. */
const AUDIENCES = {
  consumers: "Consumers of the client: names and types",
  senders: "Senders of requests",
  readers: "Readers of responses",
  implementers: "Implementers of webhooks and callbacks",
};
type Audience = keyof typeof AUDIENCES;

/** Returns the people that a change concerns. */
function audienceOf({ place, message }: ContractChange): Audience {
  if (place.startsWith("webhooks/") || message.startsWith("Callback ")) return "implementers";
  if (place.startsWith("components/schemas/") || /\bgenerated clients\b/i.test(message)) return "consumers";
  return message.startsWith("Response ") ? "readers" : "senders";
}
