import { pointer, type Schema } from "express-operations/reading";
import { type Direction, type Effect, RATINGS } from "./ratings.ts";
import type { SchemaNode } from "./alternatives.ts";
import type { Documents, Pair, PartChange } from "./documents.ts";

/** A change within a schema: the field it is at, such as `[].status`, or none for the value itself. */
export interface SchemaChange extends PartChange {
  field: string;
}

/** Where a comparison of schemas stands. */
export interface Scope {
  documents: Documents;
  direction: Direction;
  field: string;
  /** The schema of the later document, as it is written. */
  node: SchemaNode;
  /** Has schemas compared that a schema contains. */
  compare(scope: Scope, schemas: Pair<SchemaNode>): void;
  /** Whether schemas mean the same: where one is negated or a condition, a change within it cannot be rated. */
  isSame(schemas: Pair<SchemaNode>): boolean;
}

/** A change that is rated by what it does to the set of valid values; `key` is the keyword of the later document that says so. */
export function effect(scope: Scope, kind: Effect, what: string, key?: string): SchemaChange {
  const { documents, direction, field, node } = scope;
  return { ...RATINGS[direction][kind], what, field, ...(key !== undefined && placed(documents, node, key)) };
}

/** Where the later document has a keyword of a schema, or one name in its value: in the schema, behind its reference, or in one that it combines. */
export function placed(
  { after: document }: Documents,
  schema: SchemaNode,
  key: string,
  name?: string,
): Pick<PartChange, "at"> {
  const seen = new Set<SchemaNode>();
  const holderOf = (node: SchemaNode): Schema | undefined => {
    if (typeof node === "boolean" || seen.has(node)) return undefined;
    seen.add(node);
    if (Object.hasOwn(node, key) && (name === undefined || Object.hasOwn(node[key] as object, name))) return node;
    const target = node.$ref === undefined ? [] : [pointer(document, node.$ref) as SchemaNode];
    const members = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => (node[keyword] ?? []) as SchemaNode[]);
    return [...target, ...members].map(holderOf).find((holder) => holder !== undefined);
  };
  const holder = holderOf(schema);
  if (holder === undefined) return {};
  return { at: name === undefined ? { node: holder, key } : { node: holder[key] as object, key: name } };
}
