import { type ContractChange, type Impact, IMPACTS } from "./comparison/compare.ts";

/** The formats of changes. */
export const CHANGES_FORMATS = ["text", "json", "github", "markdown"] as const;
export type ChangesFormat = (typeof CHANGES_FORMATS)[number];

/** Formats changes: as text for people, JSON for programs, annotations of a pull request on GitHub, or a summary for reviewers. */
export function formatChanges(changes: ContractChange[], format: ChangesFormat): string {
  if (format === "markdown") return formatMarkdown(changes);
  if (format === "json") return JSON.stringify({ changes }, null, 2);
  if (format === "github") return changes.map(changeAnnotation).join("\n");
  return changes.length === 0 ? "The contract has not changed." : changes.map(changeLine).join("\n");
}

export function changeLine(change: ContractChange): string {
  const { impact, place, approval, at } = change;
  const rating = (approval ? "approved" : impact).padEnd(13);
  return `          ${rating} ${place}: ${reported(change)}${at === undefined ? "" : ` (${at.file}:${at.line})`}`;
}

export function changeAnnotation(change: ContractChange): string {
  const { contract, impact, place, approval, at } = change;
  const level = impact === "breaking" && !approval ? "error" : "notice";
  return annotation(level, {
    title: titled(approval ? "approved" : impact, contract),
    message: `${place}: ${reported(change)}`,
    ...(at && { at }),
  });
}

/** Returns the title of an annotation, with the contract if there are several. */
export function titled(title: string, contract: string | undefined): string {
  return contract === undefined ? title : `${contract}: ${title}`;
}

/** Returns the message of a change, and who wants it. */
function reported({ message, approval }: ContractChange): string {
  if (approval === undefined) return message;
  const { by, until, reason } = approval;
  return `${message} Approved by ${by} until ${until}: ${reason}`;
}

/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */
export function annotation(
  level: "error" | "warning" | "notice",
  { title, message, at }: { title: string; message: string; at?: { file: string; line: number } },
): string {
  const properties = { ...(at && { file: at.file, line: String(at.line) }), title };
  const listed = Object.entries(properties).map(
    ([name, value]) => `${name}=${escape(value).replaceAll(":", "%3A").replaceAll(",", "%2C")}`,
  );
  return `::${level} ${listed.join(",")}::${escape(message)}`;
}

function escape(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
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
  const approved = changes.filter(({ approval }) => approval !== undefined).length;
  const present = impacts.filter(({ own }) => own.length > 0);
  const counted = present.map(({ impact, own }) => `${own.length} ${impact}`).join(", ");
  yield `## The contract changes: ${counted}${approved > 0 ? `; ${approved} approved` : ""}\n`;
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
  const groups = Map.groupBy(changes, (change) => JSON.stringify([reported(change), change.at]));
  return Array.from(groups.values(), (group) => {
    const { at } = group[0]!;
    const places = new Set(group.map(({ place }) => `<code>${escaped(place)}</code>`));
    const line = at === undefined ? "" : ` (${escaped(at.file)}:${at.line})`;
    return `${[...places].join(", ")}: ${sentence(reported(group[0]!))}${line}\n`;
  });
}

/** Escapes a message. Keywords in backticks stay code. */
function sentence(message: string): string {
  const parts = message.split(/(`[\w$-]+`)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : escaped(part))).join("");
}

/** Writes each character that Markdown or HTML gives a meaning as a character reference. */
export function escaped(text: string): string {
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
