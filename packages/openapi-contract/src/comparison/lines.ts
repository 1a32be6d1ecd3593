import { isAbsoluteUrl } from "@redocly/openapi-core";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isRecord } from "openapi-document";
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from "yaml";
import { keysOf } from "../file-resolver.ts";
import { jsonPositions, parsedJson } from "../json-text.ts";
import type { PartChange } from "./changes.ts";

/** A file of a contract. Its text is parsed once. */
interface Source {
  path: string;
  value: unknown;
  /** Returns the line of the part at a path of keys: that of its key, or of the item of an array. */
  lineOf: (keys: string[]) => number | undefined;
}

/** A part of a source: its value, and its place in the part around it. */
interface Part {
  source: Source;
  value: unknown;
  within?: { parent: Part; key: string };
}

/** The place of a part: the path of its file, and the line from 1. */
export interface PartPlace {
  path: string;
  line: number;
}

/**
 * Returns a function that finds the place of a changed part of a bundled document in its text at `path`, or in a file that the
 * text refers to. The place is undefined for a removal. The text is parsed when the first place is asked for.
 */
export function placeFinder(
  text: string,
  path: string,
  document: object,
): (at: PartChange["at"]) => PartPlace | undefined {
  let parts: Map<object, Part> | undefined;
  return (at) => {
    if (at === undefined) return undefined;
    parts ??= partsOf(document, sourceOf(path, text));
    const part = parts.get(at.node);
    const found = part && at.key !== undefined ? childOf(part, at.key) : part;
    const line = found?.source.lineOf(keysTo(found));
    return found && line !== undefined ? { path: found.source.path, line } : undefined;
  };
}

/** Walks a bundled document and its sources side by side, and returns the part of each object. */
function partsOf(document: object, root: Source): Map<object, Part> {
  const parts = new Map<object, Part>();
  const sources = new Map([[root.path, root]]);
  const pair = (bundled: unknown, part: Part): void => {
    if (typeof bundled !== "object" || bundled === null || parts.has(bundled)) return;
    const reference = isRecord(part.value) ? part.value["$ref"] : undefined;
    const target = typeof reference === "string" ? referredBy(reference, part.source, sources) : undefined;
    const { $ref } = bundled as { $ref?: unknown };
    if (target !== undefined && $ref === undefined) return pair(bundled, target); // the bundle has it in place of the reference
    parts.set(bundled, part);
    if (target !== undefined && typeof $ref === "string") pair(keysOf($ref).reduce(memberOf, document), target);
    for (const [key, value] of Object.entries(bundled)) pair(value, childOf(part, key));
  };
  pair(document, { source: root, value: root.value });
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
  return keysOf(fragment).reduce<Part>(childOf, { source, value: source.value });
}

function childOf(parent: Part, key: string): Part {
  return { source: parent.source, value: memberOf(parent.value, key), within: { parent, key } };
}

function keysTo({ within }: Part): string[] {
  return within === undefined ? [] : [...keysTo(within.parent), within.key];
}

function sourceOf(path: string, text: string): Source {
  const json = parsedJson(text);
  if (json !== undefined) {
    const positionOf = jsonPositions(text);
    return { path, value: json, lineOf: (keys) => positionOf(keys, true)?.line };
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const lineOf = (keys: string[]) => {
    const offset = offsetIn(document, keys);
    return offset === undefined ? undefined : lineCounter.linePos(offset).line;
  };
  return { path, value: document.toJS({ maxAliasCount: -1 }), lineOf };
}

function offsetIn(document: Document.Parsed, keys: string[]): number | undefined {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0];
  for (const key of keys) {
    const parent = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(parent) ? parent.items.find((item) => isNamed(item, key)) : undefined;
    node = isSeq(parent) ? parent.items[Number(key)] : pair?.value;
    const at = isSeq(parent) ? node : pair?.key;
    offset = (at as Node | null | undefined)?.range?.[0];
  }
  return offset;
}

function isNamed({ key }: Pair, name: string): boolean {
  return isScalar(key) && String(key.value) === name;
}

function memberOf(node: unknown, key: string): unknown {
  return (node as Record<string, unknown> | null | undefined)?.[key];
}
