import { pointer, type Schema } from "openapi-document";
import { type Direction, type Effect, RATINGS } from "./ratings.ts";
import type { SchemaNode } from "./alternatives.ts";
import type { Documents, Pair, PartChange } from "./documents.ts";

/** A change within a schema. `field` is a path such as `[].status`, or empty for the value itself. */
export interface SchemaChange extends PartChange {
  field: string;
}

/** The position of a comparison of schemas. */
export interface Scope {
  documents: Documents;
  direction: Direction;
  field: string;
  /** The schema of the later document, references unresolved. */
  node: SchemaNode;
  /** Schedules the comparison of nested schemas. */
  compare(scope: Scope, schemas: Pair<SchemaNode>): void;
  /** Whether two schemas accept the same values. A change within a negated or conditional schema cannot be rated. */
  isSame(schemas: Pair<SchemaNode>): boolean;
}

/** Returns a change rated by its effect on the set of valid values. `key` is the keyword of the later document. */
export function effect(scope: Scope, kind: Effect, what: string, key?: string): SchemaChange {
  const { documents, direction, field, node } = scope;
  return { ...RATINGS[direction][kind], what, field, ...(key !== undefined && findKeyword(documents, node, key)) };
}

/** Finds a keyword of a schema, or a name in the keyword's value: in the schema itself, behind its `$ref`, or in a member of its `allOf`, `anyOf` or `oneOf`. */
export function findKeyword(
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
