import { type ContractChange, type Impact, IMPACTS } from "./comparison/compare.ts";
import type { Approval } from "./comparison/decisions.ts";
import { joinedHunk } from "./comparison/hunks.ts";
import { countedPlaces, type Entry, type Reach } from "./comparison/entries.ts";

/** The formats of changes. */
export const CHANGES_FORMATS = ["text", "json", "github", "markdown"] as const;
export type ChangesFormat = (typeof CHANGES_FORMATS)[number];

/**
 * Formats entries: as text for people, JSON for programs, annotations of a pull request on GitHub, or Markdown for reviewers.
 * Unless the report `isWhole`, entries name ten operations, and Markdown fits a comment on GitHub.
 */
export function formatEntries(entries: Entry[], format: ChangesFormat, options: ReportOptions = {}): string {
  if (format === "markdown") return formatMarkdown(entries, options);
  if (format === "json") return JSON.stringify({ entries: entries.map(entryData) }, null, 2);
  if (format === "github") return entries.map(entryAnnotation).join("\n");
  return entries.length === 0
    ? "The contract has not changed."
    : entries.flatMap((entry) => entryLines(entry, options.isWhole)).join("\n");
}

function entryData(entry: Entry): object {
  const { reaches: _, changes, ...data } = entry;
  return { ...data, changes: changes.map(changeData) };
}

/** The data of a change for programs. */
export function changeData(change: ContractChange): object {
  const { subject: _, what: __, cause: ___, ...data } = change;
  return data;
}

/** The line of an entry, and those of what it reaches: the first operations by name, or all if it `isWhole`. */
export function entryLines(entry: Entry, isWhole = false): string[] {
  const { impact, place, approval, at } = entry;
  const rating = (approval ? "approved" : impact).padEnd(13);
  const first = `          ${rating} ${place}: ${reported(entry)}${at === undefined ? "" : ` (${at.file}:${at.line})`}`;
  return [first, ...reachLines(entry, isWhole).map((line) => `${"".padEnd(24)}${line}`)].map(oneLine);
}

/** A name from a contract could otherwise hide a line in a terminal, or begin one with a command for the log of a CI. */
function oneLine(line: string): string {
  return line.replaceAll(/[\r\n]/g, (one) => JSON.stringify(one).slice(1, -1));
}

/** GitHub shows ten annotations of each level and step, so an entry has one. */
export function entryAnnotation(entry: Entry): string {
  const { contract, impact, place, approval, at } = entry;
  const level = impact === "breaking" && !approval ? "error" : "notice";
  return annotation(level, {
    title: titled(approval ? "approved" : impact, contract),
    message: [`${place}: ${reported(entry)}`, ...reachLines(entry)].join("\n"),
    ...(at && { at }),
  });
}

/** Returns an entry or a check with the name of its contract, if it is one of a list. */
export function ofContract<Item extends object>(
  item: Item,
  contract: string | undefined,
): Item & { contract?: string } {
  return contract === undefined ? item : { contract, ...item };
}

/** Returns the title of an annotation, with the contract if there are several. */
export function titled(title: string, contract: string | undefined): string {
  return contract === undefined ? title : `${contract}: ${title}`;
}

/** Returns the message of an entry, and who wants the change. */
function reported({ message, approval, reaches }: Entry): string {
  return approval === undefined || reaches.length > 1 ? message : `${message} ${approvalText(approval)}`;
}

function approvalText({ by, until, reason }: Approval): string {
  return `Approved by ${by} until ${until}: ${reason}`;
}

/** The most operations of an entry to name. The JSON has all of them. */
const MAX_NAMES = 10;

/** Returns lines on what an entry reaches, unless its place is all. */
function reachLines({ place, reaches }: Entry, isWhole = false, written = (name: string) => name): string[] {
  const [{ places: first }] = reaches as [Reach];
  if (reaches.length === 1 && first.length === 1 && first[0] === place) return [];
  return reaches.map(({ impact, approval, direction, reason, places }) => {
    const named = isWhole ? places : places.slice(0, MAX_NAMES);
    const rest = places.length - named.length;
    const names = named.map(written).join(", ") + (rest > 0 ? `, and ${rest} more` : "");
    const where = `${direction === undefined ? "" : `the ${direction} of `}${countedPlaces(places)}: ${names}`;
    if (reaches.length === 1) return countedPlaces(places) === place ? names : `In ${where}`;
    const rating = approval ? "Approved" : `${impact[0]!.toUpperCase()}${impact.slice(1)}`;
    return `${rating} in ${where}. ${approval ? approvalText(approval) : reason}`;
  });
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

/** A comment on GitHub has at most 65,536 characters, with what a workflow writes around the report. */
const MAX_LENGTH = 65_000;

const TITLES: Record<Impact, string> = {
  breaking: "Breaking: clients must change",
  additive: "Compatible: new, deprecated or relaxed",
  documentation: "Documentation",
};

export interface ReportOptions {
  /** Whether entries name all that they reach, and Markdown has no limit but `maxLength`. */
  isWhole?: boolean;
  /** Where the whole report is, to which Markdown that is cut refers. */
  rest?: string | undefined;
  /** Default: what a comment on GitHub takes, unless the report is whole. */
  maxLength?: number;
}

/** Returns the most characters of a report in Markdown. */
export function limitOf({ isWhole = false, maxLength = isWhole ? Infinity : MAX_LENGTH }: ReportOptions): number {
  return maxLength;
}

/**
 * Formats entries for reviewers as GitHub's Markdown: the most severe first, by audience, each with its place in the contract, and
 * breaking ones with their lines. The text has at most 65,000 characters, unless it is whole. Text from the contract stays text.
 */
function formatMarkdown(entries: Entry[], options: ReportOptions): string {
  const { isWhole = false, rest } = options;
  const maxLength = limitOf(options);
  if (entries.length === 0) return "## The contract has not changed\n";
  const approved = entries.filter(({ approval }) => approval !== undefined).length;
  const title = `## The contract changes: ${countedImpacts(entries)}${approved > 0 ? `; ${approved} approved` : ""}\n`;
  const sorted = entries.toSorted((one, other) => order(one) - order(other));
  const where = rest === undefined ? "`--output report.md` writes them to a file." : `They are in ${escaped(rest)}.`;
  const endFrom = (index: number) =>
    `The report ends here. Left out: ${countedImpacts(sorted.slice(index))}. ${where}\n`;
  const texts = [title];
  const cutLength = maxLength - endFrom(0).length - 1;
  let length = title.length;
  let kept = 1; // the texts of a report that is cut
  for (const [index, entry] of sorted.entries()) {
    const text = [...headingsOf(entry, sorted[index - 1]), entryText(entry, isWhole)].join("\n");
    length += text.length + 1;
    if (length > maxLength) return [...texts.slice(0, kept), endFrom(kept - 1)].join("\n");
    texts.push(text);
    if (length <= cutLength) kept = texts.length;
  }
  return texts.join("\n");
}

/** Such as `2 breaking, 1 additive`. */
function countedImpacts(entries: Entry[]): string {
  const counts = IMPACTS.map((impact) => [entries.filter((entry) => entry.impact === impact).length, impact] as const);
  return counts.flatMap(([count, impact]) => (count === 0 ? [] : [`${count} ${impact}`])).join(", ");
}

function order({ impact, changes: [first] }: Entry): number {
  return IMPACTS.indexOf(impact) * 10 + Object.keys(AUDIENCES).indexOf(audienceOf(first!));
}

/** Returns the headings of the sections that an entry begins. */
function headingsOf(entry: Entry, previous: Entry | undefined): string[] {
  const of = ({ impact, changes: [first] }: Entry) =>
    impact === "documentation"
      ? [`### ${TITLES[impact]}\n`]
      : [`### ${TITLES[impact]}\n`, `#### ${AUDIENCES[audienceOf(first!)]}\n`];
  const isSame = previous?.impact === entry.impact;
  const above = previous === undefined ? [] : of(previous);
  return of(entry).filter((heading) => !isSame || !above.includes(heading));
}

function entryText(entry: Entry, isWhole: boolean): string {
  const { place, at, impact, changes } = entry;
  const code = (name: string) => `<code>${escaped(name)}</code>`;
  const line = at === undefined ? "" : ` (${escaped(at.file)}:${at.line})`;
  const head = `${/^\d+ /.test(place) ? place : code(place)}: ${sentence(reported(entry))}${line}`;
  const reaches = reachLines(entry, isWhole, (name) => `\0${name}\0`).map((text) => {
    const parts = text.split("\0");
    return `- ${parts.map((part, index) => (index % 2 === 1 ? code(part) : sentence(part))).join("")}`;
  });
  const hunk = impact === "breaking" ? joinedHunk(changes.map(({ cause }) => cause?.hunk() ?? [])) : [];
  return [head, ...(reaches.length > 0 ? ["", ...reaches] : []), ...fenced(hunk), ""].join("\n");
}

/** Lines from a contract as a block of code, which they cannot end. */
function fenced(lines: string[]): string[] {
  if (lines.length === 0) return [];
  const text = lines.map((line) => line.replaceAll(CONTROLS, " "));
  const longest = Math.max(2, ...Array.from(text.join("\n").matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return ["", `${fence}diff`, ...text, fence];
}

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** Escapes a message. Keywords in backticks stay code. */
function sentence(message: string): string {
  const parts = message.split(/(`[\w$-]+`)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : escaped(part))).join("");
}

/** Writes each character that Markdown or HTML gives a meaning as a character reference. */
export function escaped(text: string): string {
  return text
    .replaceAll(CONTROLS, " ")
    .replaceAll(
      /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|[^\p{L}\p{N}\s_.,;:"'/(){}=%-]/gu,
      (character) => `&#${character.codePointAt(0)!};`,
    );
}

/** The people that a change concerns, each with their heading, in the order of a report. */
const AUDIENCES = {
  senders: "Senders of requests",
  readers: "Readers of responses",
  implementers: "Implementers of webhooks and callbacks",
  consumers: "Consumers of the client: names and types",
};
type Audience = keyof typeof AUDIENCES;

/** Returns the people that a change concerns. */
function audienceOf({ place, message }: ContractChange): Audience {
  if (place.startsWith("webhooks/") || message.startsWith("Callback ")) return "implementers";
  if (place.startsWith("components/schemas/") || /\bgenerated clients\b/i.test(message)) return "consumers";
  return message.startsWith("Response ") ? "readers" : "senders";
}
