import { isDeepStrictEqual } from "node:util";
import { type Direction, RATINGS } from "./ratings.ts";
import type { SchemaNode } from "./alternatives.ts";
import {
  type Documents,
  type Node,
  type Pair,
  paired,
  partAt,
  type PartChange,
  unknownChanges,
  verb,
} from "./documents.ts";
import { schemaChanges } from "./schemas.ts";

/** A change to an operation: its part, the field of the value, and the status if the part is a response. */
export interface OperationChange extends PartChange {
  status?: string;
  part?: string;
  field?: string;
}

/** Compares the request bodies of an operation. */
export function requestBodyChanges(documents: Documents, operations: Pair<Node>): OperationChange[] {
  const part = "request body";
  const { before, after } = partAt(documents, operations, "requestBody");
  if (after === undefined) {
    const because = "The service rejects or ignores values that clients may send today.";
    return before === undefined ? [] : [{ part, impact: "breaking", what: "is removed", because }];
  }
  if (before === undefined) return [{ part, ...addition(after) }];
  const nodes = { before, after };
  const changes = [
    ...requirementChanges("request", nodes),
    ...contentChanges(documents, "request", { before: before["content"], after: after["content"] }),
    ...unknownChanges(nodes, ["required", "content"]),
  ];
  return changes.map((change: OperationChange) => ({ ...change, part: [part, change.part ?? []].flat().join(" as ") }));
}

/** The change of an added parameter or request body. */
export function addition(node: Node): PartChange {
  const at = { node };
  if (node["required"] === true) return { ...RATINGS.request.narrows, what: "is added and required", at };
  return { impact: "additive", what: "is added", because: "Clients need not send it.", at };
}

/** Compares a `required` flag. */
export function requirementChanges(direction: Direction, { before, after }: Pair<Node>): PartChange[] {
  const [was, is] = [before["required"] === true, after["required"] === true];
  if (was === is) return [];
  const at = { node: after, key: "required" };
  if (is) return [{ ...RATINGS[direction].narrows, what: "becomes required", at }];
  return [{ ...RATINGS[direction].widens, what: "becomes optional", at }];
}

/** Compares content by media type. Names of media types are case-insensitive (RFC 9110, section 8.3.1). */
export function contentChanges(documents: Documents, direction: Direction, content: Pair<unknown>): OperationChange[] {
  const types = paired(documents, { before: withoutCase(content.before), after: withoutCase(content.after) });
  const isRequest = direction === "request";
  return types.flatMap(([type, { before, after }]): OperationChange[] => {
    if (after === undefined) {
      const because = isRequest ? "Clients may send it today." : "Clients may expect it today.";
      return [{ impact: "breaking", what: `${type} is removed`, because }];
    }
    if (before === undefined) {
      const because = isRequest ? "Clients need not send it." : "Clients choose by `Accept` what they receive.";
      return [{ impact: "additive", what: `${type} is added`, because, at: { node: after } }];
    }
    const changes = mediaTypeChanges(documents, direction, { before, after });
    return types.length === 1 ? changes : changes.map((change) => ({ ...change, part: type }));
  });
}

/** A map with its keys in lower case. */
export function withoutCase(map: unknown): Node {
  return Object.fromEntries(Object.entries((map ?? {}) as Node).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The schemas of two nodes; a missing one allows any value. */
export function schemasOf({ before, after }: Pair<Node>): Pair<SchemaNode> {
  return { before: (before["schema"] ?? true) as SchemaNode, after: (after["schema"] ?? true) as SchemaNode };
}

function mediaTypeChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): OperationChange[] {
  const [before, after] = [nodes.before["encoding"], nodes.after["encoding"]];
  const changes = [
    ...schemaChanges(documents, direction, schemasOf(nodes)),
    ...unknownChanges(nodes, ["schema", "encoding"]),
  ];
  if (isDeepStrictEqual(before ?? {}, after ?? {})) return changes;
  const at = { node: nodes.after, ...(after !== undefined && { key: "encoding" }) };
  return [...changes, { ...RATINGS[direction].replaces, what: `\`encoding\` ${verb(before, after)}`, at }];
}
