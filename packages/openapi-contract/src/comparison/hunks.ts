import { diff } from "node:util";
import { isRecord } from "openapi-document";
import { stringify } from "yaml";
import { both, type Documents, type Pair } from "./changes.ts";

/** The most lines of a hunk, and the most characters of a line. */
const MAX_LINES = 12;
const MAX_WIDTH = 120;

/** The unchanged lines around those that change. */
const CONTEXT = 2;

/**
 * Returns the changed lines of a member of both documents as YAML, each after `+`, `-` or a space. Returns none if the member has
 * no counterpart, or is the same. They need no source, so removals and contracts of several files have them too.
 */
export function hunkAt(documents: Documents, path: string[]): string[] {
  const key = path.at(-1)!;
  const holders = valuesAt(documents, path.slice(0, -1));
  if (!isRecord(holders.before) || !isRecord(holders.after)) return [];
  const { before, after } = both((side) => {
    const holder = holders[side] as Record<string, unknown>;
    if (!Object.hasOwn(holder, key)) return [];
    return stringify({ [key]: holder[key] }, { lineWidth: 0, aliasDuplicateObjects: false })
      .trimEnd()
      .split("\n");
  });
  const lines = diff(before, after).map(([kind, line]) => `${kind === 0 ? " " : kind === 1 ? "-" : "+"} ${line}`);
  const near = nearChanges(lines);
  return near.length === 0 ? [] : [`@@ ${path.slice(-5, -1).join("/")} @@`, ...near];
}

/** Follows a path in both documents. */
export function valuesAt(documents: Documents, path: string[]): Pair<unknown> {
  return path.reduce<Pair<unknown>>(memberOf, documents);
}

/** The key of a member of a node. That of a parameter in an array is its name, since its index may change. */
export function memberKey(node: object, key: string): string {
  if (!Array.isArray(node)) return key;
  const item: unknown = node[Number(key)];
  return isRecord(item) && typeof item["in"] === "string" ? `${item["in"]} ${String(item["name"])}` : key;
}

function memberOf(nodes: Pair<unknown>, key: string): Pair<unknown> {
  const { before, after } = nodes;
  const isMoved = Array.isArray(before) && Array.isArray(after) && before.length !== after.length && /^\d+$/.test(key);
  return both((side) => {
    const node = (nodes[side] ?? {}) as Record<string, unknown>;
    if (!Array.isArray(node)) return node[key];
    return isMoved ? undefined : node.find((_, index) => memberKey(node, String(index)) === key);
  });
}

function nearChanges(lines: string[]): string[] {
  const changed = lines.flatMap((line, index) => (line.startsWith(" ") ? [] : [index]));
  return lines.filter((_, index) => changed.some((each) => Math.abs(each - index) <= CONTEXT));
}

/** Returns the lines of several hunks as one hunk, each once. */
export function joinedHunk(hunks: string[][]): string[] {
  const distinct = [...new Map(hunks.map((hunk) => [hunk.join("\n"), hunk])).values()];
  const lines = distinct.flatMap((hunk, index) => (distinct[index - 1]?.[0] === hunk[0] ? hunk.slice(1) : hunk));
  const cut = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES - 1), "  …"] : lines;
  return cut.map((line) => (line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line));
}
