import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { type ContractChange, contractChanges } from "../comparison/compare.ts";
import { dayOf, decided, decisionsBeside, type Words } from "../comparison/decisions.ts";
import type { BundledDocument } from "../bundle.ts";
import { type Section, sectionsOf } from "./changelog-sections.ts";
import { compareVersions, parseVersion, readReleased, type ReleasedFile, releasedFiles } from "./released.ts";

export { publishedChangelog } from "./changelog-sections.ts";

/** Returns the path of the changelog of a contract. */
export function changelogBeside(contract: string): string {
  return join(dirname(contract), "CHANGELOG.md");
}

/** Returns the text of a changelog, with the line ends of Git; empty without the file. */
export async function readChangelog(file: string): Promise<string> {
  return existsSync(file) ? (await readFile(file, "utf8")).replaceAll("\r\n", "\n") : "";
}

const [BEGIN, END] = ["<!-- The changes, as `changelog` writes them. Write around them. -->", "<!-- end -->"];
const GENERATED = new RegExp(`${BEGIN}[^]*?\\n${END}`); // a path may contain the end

/**
 * Returns the text of a changelog with a section for each released version, and one for the changes since. The decisions about
 * changes are beside `contract`, the file of the document. Text in the changelog stays as it is, apart from the list of changes that
 * are not released. On release, this list and all that people wrote around it become the section of the version.
 */
export async function updatedChangelog(
  text: string,
  document: BundledDocument,
  contract: string,
  released: string,
): Promise<string> {
  const files = await releasedFiles(released);
  const { head, sections } = sectionsOf(text);
  const draft = sections.find(({ version }) => version === undefined);
  const written = sections.filter((section) => section !== draft);
  let body = draft?.text.split("\n").slice(1).join("\n") ?? "";
  const changes = changesOf(files, document, contract);
  for (const [index, { version, file }] of files.entries()) {
    const name = version.join(".");
    if (written.some((section) => section.version === name)) continue;
    const isLast = index === files.length - 1;
    const entry = withChanges(isLast ? body : "", (await changes(index)) || "No changes for clients.");
    const heading = `## ${name} - ${await dayOfRelease(file)}`;
    insert(written, { version: name, text: `${heading}\n\n${entry}` });
    if (isLast) body = "";
  }
  const unreleased = await changes(files.length);
  body = withChanges(body, unreleased && `${BEGIN}\n\n${unreleased}\n\n${END}`);
  const parts = [
    head || `# Changelog of ${escaped(document.info.title)}\n\nThe changes of each version for clients.`,
    ...(body === "" ? [] : [`## Unreleased\n\n${body}`]),
    ...written.map((section) => section.text),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Returns the entry of the changes since the last release, as a section with the version of the contract. */
export async function nextEntry(document: BundledDocument, contract: string, released: string): Promise<string> {
  const files = await releasedFiles(released);
  const entry = await changesOf(files, document, contract)(files.length);
  return `## ${document.info.version}\n\n${entry || "No changes for clients."}\n`;
}

/** Returns the function that lists the changes of a released version by its index, and behind the last one those since. */
function changesOf(files: ReleasedFile[], document: BundledDocument, contract: string) {
  const { changelog: words, ...decisions } = decisionsBeside(contract);
  return async (index: number): Promise<string> => {
    if (index === 0) return "The first release.";
    const after = files[index] === undefined ? document : await readReleased(files[index]);
    const changes = await contractChanges(await readReleased(files[index - 1]!), after, undefined);
    return changelogEntry(decided(changes, decisions), words);
  };
}

/** Replaces the generated part of a text, or adds it at the end. */
function withChanges(body: string, generated: string): string {
  return (GENERATED.test(body) ? body.replace(GENERATED, () => generated) : `${body}\n\n${generated}`).trim();
}

/** Inserts a section before the first one of a lower version. */
function insert(sections: Section[], section: Section): void {
  const version = parseVersion(section.version!)!;
  const isLower = (other: string) => compareVersions(parseVersion(other)!, version) < 0;
  const index = sections.findIndex((other) => other.version !== undefined && isLower(other.version));
  sections.splice(index === -1 ? sections.length : index, 0, section);
}

/** Returns the day of the commit that added a released contract; before that commit, today. */
async function dayOfRelease(file: string): Promise<string> {
  const args = ["-C", dirname(file), "log", "--diff-filter=A", "--format=%cs", "--", basename(file)];
  const { stdout } = await promisify(execFile)("git", args).catch(() => ({ stdout: "" }));
  return stdout.trim().split("\n").at(-1) || dayOf(new Date());
}

/** The changes of a version as Markdown, grouped by what clients have to do. Empty if there are none. Text of the contract stays text. */
export function changelogEntry(changes: ContractChange[], { headings, entry }: Words): string {
  const groups = Map.groupBy(changes, groupOf);
  const sections = Object.entries(headings).flatMap(([group, heading]) => {
    const own = groups.get(group as Group);
    return heading === null || own === undefined ? [] : [`### ${heading}\n\n${linesOf(own, entry).join("\n")}`];
  });
  return sections.join("\n\n");
}

type Group = keyof Words["headings"];

/** Returns the group of a change; undefined for the version itself, and for extensions, which have no meaning for clients. */
function groupOf({ impact, place, message }: ContractChange): Group | undefined {
  const isVersion = place === "info" && message.startsWith("`version`");
  if (impact === "documentation" && (isVersion || message.startsWith("`x-"))) return undefined;
  const isDeprecation = / is deprecated\. |`x-(?:deprecated-at|sunset|successor)` /.test(message);
  return impact === "additive" && isDeprecation ? "deprecated" : impact;
}

/** Merges changes with the same message, such as those of a shared schema. */
function linesOf(changes: ContractChange[], entry: string): string[] {
  return Array.from(Map.groupBy(changes, messageOf), ([message, own]) => {
    const places = new Set(own.map(({ place }) => codeOf(place.replace("components/schemas/", ""))));
    const values: Record<string, string> = { places: [...places].join(", "), message };
    return `- ${entry.replaceAll(/\{\{(.*?)\}\}/g, (_, name: string) => values[name.trim()]!)}`;
  });
}

/** What could end a line or reorder it. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

function codeOf(text: string): string {
  const line = text.replaceAll(CONTROLS, " ");
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

/** Returns the message in Markdown, with the reason of a breaking change that is approved. Keywords in backticks stay code. */
function messageOf({ message, approval }: ContractChange): string {
  const parts = message.split(/(`[\w$-]+`)/).map((part, index) => (index % 2 === 1 ? part : escaped(part)));
  const reason = approval && ` The reason: ${approval.reason.trim().replaceAll(/\s+/g, " ")}`;
  return parts.join("") + (reason ?? "");
}

/** Escapes each character with a meaning in Markdown. An underscore has none within a word. */
function escaped(text: string): string {
  return text
    .replaceAll(CONTROLS, " ")
    .replaceAll(/[\\`*[\]<>&~|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\$&`);
}
