import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type OpenApiDocument, operationsOf } from "openapi-document";
import type { ContractChange } from "./compare.ts";
import { placeFinder } from "./lines.ts";

/** A contract as text and as data. */
export interface ContractText {
  text: string;
  document: object;
}

/**
 * Returns a function that finds the differing lines of a change: those of its node in the later text, none if it is in another file. A removal has those of its
 * operation, webhook or component in the earlier text.
 */
export function changedLines(
  before: ContractText,
  after: { text: string; file: string },
  hunks: Hunk[],
): (change: ContractChange) => Hunk[] {
  const placeOf = placeFinder(before.text, "", before.document);
  const [earlier, later] = [before.text.split(/\r?\n/), after.text.split(/\r?\n/)];
  return ({ place, at }) => {
    if (at !== undefined && at.file !== after.file) return [];
    if (at !== undefined) return hunks.filter((hunk) => touches(hunk.after, at.line, endOf(later, at.line)));
    const node = nodeAt(before.document, place);
    const line = node && placeOf({ node })?.line;
    if (line === undefined) return [];
    const end = endOf(earlier, line);
    return hunks.filter((hunk) => hunk.before.texts.length > 0 && touches(hunk.before, line, end));
  };
}

function touches({ from, texts }: Lines, first: number, last: number): boolean {
  return from <= last && from + Math.max(texts.length - 1, 0) >= first;
}

/** Returns the last line of the node that begins at a line: those after it that are indented further. */
function endOf(lines: string[], first: number): number {
  const indent = indentOf(lines[first - 1] ?? "");
  let last = first;
  for (let line = first + 1; line <= lines.length; line += 1) {
    const text = lines[line - 1]!;
    if (text.trim() === "") continue;
    if (indentOf(text) <= indent) break;
    last = line;
  }
  return last;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Returns the node of a place such as `GET /pets` or `components/schemas/Pet`. */
function nodeAt(document: object, place: string): object | undefined {
  const entries = operationsOf(document as OpenApiDocument);
  const entry = entries.find(({ method, path }) => `${method.toUpperCase()} ${path}` === place);
  if (entry !== undefined) return entry.operation;
  const path = /^(?:components\/[^/]+|webhooks)\//.exec(place)?.[0];
  if (path === undefined) return undefined;
  const keys = [...path.slice(0, -1).split("/"), place.slice(path.length)];
  const node = keys.reduce<unknown>((parent, key) => (parent as Record<string, unknown> | undefined)?.[key], document);
  return typeof node === "object" && node !== null ? node : undefined;
}

/** Lines that differ between two texts. A side with no lines has the number of the line before the difference. */
export interface Hunk {
  before: Lines;
  after: Lines;
}

/** Consecutive lines, counted from 1. */
export interface Lines {
  from: number;
  texts: string[];
}

/** Returns the differences between two texts, in order, as git finds them. */
export async function hunksBetween(before: string, after: string): Promise<Hunk[]> {
  const folder = await mkdtemp(join(tmpdir(), "contract-diff-"));
  try {
    const [old, current] = [join(folder, "before"), join(folder, "after")];
    await Promise.all([writeFile(old, withLineEnds(before)), writeFile(current, withLineEnds(after))]);
    return hunksIn(await gitDiff(old, current));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function withLineEnds(text: string): string {
  return `${text.replaceAll("\r\n", "\n").trimEnd()}\n`;
}

/** git exits with 1 if the files differ. */
async function gitDiff(before: string, after: string): Promise<string> {
  const options = ["--no-index", "--no-color", "--no-ext-diff", "--text", "--unified=0"];
  try {
    await promisify(execFile)("git", ["diff", ...options, "--", before, after], { maxBuffer: 2 ** 28 });
    return "";
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: string };
    if (code !== 1 || stdout === undefined) throw error;
    return stdout;
  }
}

function hunksIn(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of diff.split("\n")) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (header !== null) {
      const [, before, after] = header.map(Number) as [number, number, number];
      hunks.push({ before: { from: before, texts: [] }, after: { from: after, texts: [] } });
    } else if (line.startsWith("-")) hunks.at(-1)?.before.texts.push(line.slice(1));
    else if (line.startsWith("+")) hunks.at(-1)?.after.texts.push(line.slice(1));
  }
  return hunks.flatMap(byLine);
}

/** Splits a difference with as many lines before as after into its lines, since each may belong to another change. */
function byLine(hunk: Hunk): Hunk[] {
  const { before, after } = hunk;
  if (before.texts.length !== after.texts.length) return [hunk];
  return before.texts.map((text, index) => ({
    before: { from: before.from + index, texts: [text] },
    after: { from: after.from + index, texts: [after.texts[index]!] },
  }));
}

/** Joins differences that follow each other without a line between them. */
export function joined(hunks: Hunk[]): Hunk[] {
  const result: Hunk[] = [];
  for (const { before, after } of hunks) {
    const last = result.at(-1);
    if (last !== undefined && follows(last.before, before) && follows(last.after, after)) {
      last.before.texts.push(...before.texts);
      last.after.texts.push(...after.texts);
    } else {
      const copy = ({ from, texts }: Lines) => ({ from, texts: [...texts] });
      result.push({ before: copy(before), after: copy(after) });
    }
  }
  return result;
}

function follows(one: Lines, other: Lines): boolean {
  return one.texts.length > 0 && other.texts.length > 0 && one.from + one.texts.length === other.from;
}
