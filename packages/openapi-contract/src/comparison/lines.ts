import { isAbsoluteUrl } from "@redocly/openapi-core";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from "yaml";
import { keysOf } from "../lint/lint.ts";
import type { PartChange } from "./changes.ts";

/** A file of a contract. Its text is parsed once. */
interface Source {
  path: string;
  document: ReturnType<typeof parseDocument>;
  lineCounter: LineCounter;
}

/** A part of a source: its node, and the offset of its key, or of the item of an array. */
interface Part {
  source: Source;
  node: unknown;
  offset: number | undefined;
}

/** The place of a part: the path of its file, and the line from 1. */
export interface PartPlace {
  path: string;
  line: number;
}

/**
 * Returns a function that finds the place of a changed part of a bundled document in its text at `path`, or in a file that the
 * text refers to. The place is undefined for a removal.
 */
export function placeFinder(
  text: string,
  path: string,
  document: object,
): (at: PartChange["at"]) => PartPlace | undefined {
  const parts = partsOf(document, sourceOf(path, text));
  return (at) => {
    const part = at && parts.get(at.node);
    const found = part && at?.key !== undefined ? childOf(part, at.key) : part;
    if (found?.offset === undefined) return undefined;
    return { path: found.source.path, line: found.source.lineCounter.linePos(found.offset).line };
  };
}

/** Walks a bundled document and its sources side by side, and returns the part of each object. */
function partsOf(document: object, root: Source): Map<object, Part> {
  const parts = new Map<object, Part>();
  const sources = new Map([[root.path, root]]);
  const pair = (bundled: unknown, part: Part): void => {
    if (typeof bundled !== "object" || bundled === null || parts.has(bundled)) return;
    const reference = isMap(part.node) ? part.node.get("$ref") : undefined;
    const target = typeof reference === "string" ? referredBy(reference, part.source, sources) : undefined;
    const { $ref } = bundled as { $ref?: unknown };
    if (target !== undefined && $ref === undefined) return pair(bundled, target); // the bundle has it in place of the reference
    parts.set(bundled, part);
    if (target !== undefined && typeof $ref === "string") pair(keysOf($ref).reduce(memberOf, document), target);
    for (const [key, value] of Object.entries(bundled)) pair(value, childOf(part, key));
  };
  pair(document, { source: root, node: root.document.contents, offset: undefined });
  return parts;
}

/** The part that a reference leads to; undefined for one to another host, and for a file that is missing. */
function referredBy(reference: string, from: Source, sources: Map<string, Source>): Part | undefined {
  const [file = "", fragment = ""] = reference.split("#");
  if (isAbsoluteUrl(file)) return undefined;
  const path = file === "" ? from.path : resolve(dirname(from.path), file);
  if (!sources.has(path) && !existsSync(path)) return undefined;
  const source = sources.get(path) ?? sourceOf(path, readFileSync(path, "utf8"));
  sources.set(path, source);
  const { contents } = source.document;
  return keysOf(fragment).reduce<Part>(childOf, { source, node: contents, offset: contents?.range?.[0] });
}

function sourceOf(path: string, text: string): Source {
  const lineCounter = new LineCounter();
  return { path, document: parseDocument(text, { lineCounter }), lineCounter };
}

function childOf({ source, node }: Part, key: string): Part {
  const parent = resolved(node, source);
  if (isSeq(parent)) {
    const item = parent.items[Number(key)];
    return { source, node: item, offset: (item as Node | undefined)?.range?.[0] };
  }
  const pair = isMap(parent) ? parent.items.find((item) => isNamed(item, key)) : undefined;
  return { source, node: resolved(pair?.value, source), offset: isScalar(pair?.key) ? pair.key.range?.[0] : undefined };
}

function resolved(node: unknown, { document }: Source): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function isNamed({ key }: Pair, name: string): boolean {
  return isScalar(key) && String(key.value) === name;
}

function memberOf(node: unknown, key: string): unknown {
  return (node as Record<string, unknown> | null | undefined)?.[key];
}
