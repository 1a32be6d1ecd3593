import { type OpenApiDocument, operationsOf } from "openapi-document";
import type { ContractChange } from "./diff.ts";
import type { Hunk, Lines } from "./text-diff.ts";
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
