import type { ContractChange } from "./comparison/compare.ts";
import { type Hunk, joined } from "./comparison/changed-lines.ts";
import { type Impact, IMPACTS } from "./comparison/changes.ts";

/** The largest summary of a step on GitHub is 1 MiB, which other commands of the step share. */
const MAX_BYTES = 768 * 1024;
/** Longer differences are collapsed, and those after the second number are cut. */
const OPEN_LINES = 12;
const MAX_LINES = 200;
const MAX_LINE_LENGTH = 300;

const TITLES: Record<Impact, string> = {
  breaking: "Breaking: clients must change",
  additive: "Compatible: new, deprecated or relaxed",
  documentation: "Documentation",
};

/** Changes with the same message and the same lines, such as those of a shared schema. */
interface Group {
  change: ContractChange;
  places: Set<string>;
  hunks: Hunk[];
}

/**
 * Formats changes for reviewers as GitHub's Markdown: the most severe first, by audience, each with its lines before and after.
 * The text is at most 768 KiB long. Text from the contract stays text.
 */
export function formatMarkdown(
  changes: ContractChange[],
  hunks: Hunk[],
  linesOf: (change: ContractChange) => Hunk[],
): string {
  if (changes.length === 0) return "## The contract has not changed\n";
  return bounded(sections(changes, groupsOf(changes, linesOf), hunks));
}

/** Yields the parts of a summary one after the other, since one that is too long ends early. */
function* sections(changes: ContractChange[], groups: Group[], hunks: Hunk[]): Generator<string> {
  yield `## The contract changes: ${countsOf(changes)}\n`;
  for (const impact of IMPACTS) yield* impactSections(impact, groups);
  const shown = new Set(groups.flatMap((group) => group.hunks));
  const others = hunks.filter((hunk) => !shown.has(hunk));
  if (others.length > 0) yield `### Other changed lines\n\n${fenced(others)}`;
}

function groupsOf(changes: ContractChange[], linesOf: (change: ContractChange) => Hunk[]): Group[] {
  const groups = new Map<string, Group>();
  for (const change of changes) {
    const hunks = linesOf(change);
    const key = JSON.stringify([
      change.impact,
      change.message,
      hunks.map(({ before, after }) => [before.from, after.from]),
    ]);
    const group = groups.get(key) ?? { change, places: new Set(), hunks };
    groups.set(key, group);
    group.places.add(change.place);
  }
  return [...groups.values()];
}

function* impactSections(impact: Impact, groups: Group[]): Generator<string> {
  const own = groups.filter(({ change }) => change.impact === impact);
  if (own.length > 0) yield `### ${TITLES[impact]}\n`;
  if (impact === "documentation") return yield* own.map(entry);
  for (const [audience, title] of Object.entries(AUDIENCES)) {
    const entries = own.filter(({ change }) => audienceOf(change) === audience);
    if (entries.length > 0) yield `#### ${title}\n`;
    for (const group of entries) yield entry(group);
  }
}

function entry({ change, places, hunks }: Group): string {
  const names = Array.from(places, (place) => `<code>${escaped(place)}</code>`).join(", ");
  return `${names}: ${sentence(change.message)}\n${hunks.length === 0 ? "" : `\n${fenced(hunks)}`}`;
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

/** Formats lines as a diff with line numbers. Long ones are collapsed. */
function fenced(hunks: Hunk[]): string {
  const lines = joined(hunks).flatMap(({ before, after }) => [
    `@@ ${rangeOf("-", before)} ${rangeOf("+", after)} @@`,
    ...before.texts.map((text) => `-${text}`),
    ...after.texts.map((text) => `+${text}`),
  ]);
  const kept = lines.slice(0, MAX_LINES).map(cut);
  if (kept.length < lines.length) kept.push(`@@ and ${lines.length - kept.length} more lines @@`);
  const longest = Math.max(2, ...Array.from(kept.join("\n").matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const block = `${fence}diff\n${kept.join("\n")}\n${fence}\n`;
  if (kept.length <= OPEN_LINES) return block;
  return `<details><summary>${lines.length} lines</summary>\n\n${block}\n</details>\n`;
}

function rangeOf(sign: string, { from, texts }: Hunk["before"]): string {
  return `${sign}${from}${texts.length === 1 ? "" : `,${texts.length}`}`;
}

/** A line of bounded length, without the characters that begin or reorder lines. */
function cut(line: string): string {
  const plain = line.replaceAll(/(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, "\ufffd");
  return plain.length > MAX_LINE_LENGTH ? `${plain.slice(0, MAX_LINE_LENGTH)}…` : plain;
}

function countsOf(changes: ContractChange[]): string {
  const counts = IMPACTS.map(
    (impact) => [changes.filter((change) => change.impact === impact).length, impact] as const,
  );
  return counts.flatMap(([count, impact]) => (count === 0 ? [] : [`${count} ${impact}`])).join(", ");
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

/** The people that a change concerns. */
type Audience = "senders" | "readers" | "consumers" | "implementers";

/** Every audience with its heading, in the order of a report. */
const AUDIENCES: Record<Audience, string> = {
  consumers: "Consumers of the client: names and types",
  senders: "Senders of requests",
  readers: "Readers of responses",
  implementers: "Implementers of webhooks and callbacks",
};

/** Returns the people that a change concerns. */
function audienceOf({ place, message }: ContractChange): Audience {
  if (place.startsWith("webhooks/") || message.startsWith("Callback ")) return "implementers";
  if (place.startsWith("components/schemas/") || /\bgenerated clients\b/i.test(message)) return "consumers";
  return message.startsWith("Response ") ? "readers" : "senders";
}
