import { isDeepStrictEqual } from "node:util";
import { isAnnotation, type OpenApiDocument, resolve } from "openapi-document";
import type { Rating } from "./ratings.ts";

/** The same part of the earlier and of the later contract. */
export interface Pair<Part> {
  before: Part;
  after: Part;
}

/** The two contracts to compare, each bundled into one document. */
export type Documents = Pair<OpenApiDocument>;

/** An object of a document. */
export type Node = Record<string, unknown>;

/** A change to a part, with its rating. */
export interface PartChange extends Rating {
  /** A predicate such as "is added", or a whole sentence; both begin in lower case. */
  what: string;
  /** The changed node of the later document, or a key of it; absent for a removal. */
  at?: { node: object; key?: string };
}

/** Pairs the values of two maps by key. References are resolved. */
export function paired(documents: Documents, maps: Pair<unknown>): [key: string, Pair<Node | undefined>][] {
  const nodes = { before: (maps.before ?? {}) as Node, after: (maps.after ?? {}) as Node };
  return keysOf(nodes).map((key) => [key, partAt(documents, nodes, key)]);
}

/** Pairs the values of two nodes at one key. References are resolved. */
export function partAt({ before, after }: Documents, nodes: Pair<Node>, key: string): Pair<Node | undefined> {
  const part = (document: OpenApiDocument, value: unknown) =>
    value === undefined ? undefined : resolve<Node>(document, value as Node);
  const own = (node: Node) => (Object.hasOwn(node, key) ? node[key] : undefined); // An inherited `constructor` is no key.
  return { before: part(before, own(nodes.before)), after: part(after, own(nodes.after)) };
}

/** The keys of either node, each once. */
export function keysOf({ before, after }: Pair<object>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

/** Returns changes to keys that the comparison does not support. They count as breaking. */
export function unknownChanges(nodes: Pair<Node>, known: readonly string[]): PartChange[] {
  const { before, after } = nodes;
  return keysOf(nodes)
    .filter((key) => !known.includes(key) && !isAnnotation(key) && !isDeepStrictEqual(before[key], after[key]))
    .map((key) => ({
      impact: "breaking",
      what: `\`${key}\` ${verb(before[key], after[key])}`,
      because: "The comparison does not support this keyword, so it cannot rule out that a client breaks.",
      at: { node: after, key },
    }));
}

/** The message of a change: subject, predicate, and the reason for its impact. */
export function messageOf(subject: string, { what, because }: PartChange): string {
  const isPredicate = /^(is|becomes|gets|loses|changes)\b/.test(what);
  const text = subject === "" ? what : `${subject}${isPredicate ? "" : ":"} ${what}`;
  return `${text[0]!.toUpperCase()}${text.slice(1)}. ${because}`;
}

export function verb(before: unknown, after: unknown): "is added" | "is removed" | "changes" {
  if (before === undefined) return "is added";
  return after === undefined ? "is removed" : "changes";
}

/** A value as JSON for a message, shortened to 80 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
