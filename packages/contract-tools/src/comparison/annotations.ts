import { HOLDS_VALUES, isAnnotation, IS_MAP, isRecord } from "openapi-document";
import { isDeepStrictEqual } from "node:util";
import { keysOf, type Node, type Pair, type PlacedChange, verb } from "./changes.ts";

/** Extensions that are compared with their operation. */
const COMPARED = /^x-(deprecated-at|sunset|successor|(eov-)?allow-unknown-query-parameters)$/;

/** Returns the changes to descriptions and other annotations, each once. */
export function annotationChanges(nodes: Pair<Node>): PlacedChange[] {
  return changesBetween(nodes, [], false);
}

function changesBetween(nodes: Pair<Node>, path: string[], isMap: boolean): PlacedChange[] {
  // Behind a new reference the annotations of its target count.
  if (!isMap && "$ref" in nodes.before !== "$ref" in nodes.after) return [];
  return keysOf(nodes).flatMap((key) => {
    const values = { before: nodes.before[key], after: nodes.after[key] };
    if (isMap) return changesWithin(values, [...path, key], false);
    if (isAnnotation(key) || isWhollyText(path, key)) {
      return COMPARED.test(key) || isDeepStrictEqual(values.before, values.after) ? [] : [textChange(nodes, path, key)];
    }
    return HOLDS_VALUES.has(key) ? [] : changesWithin(values, [...path, key], IS_MAP.has(key));
  });
}

function changesWithin({ before, after }: Pair<unknown>, path: string[], isMap: boolean): PlacedChange[] {
  if (isRecord(before) && isRecord(after)) return changesBetween({ before, after }, path, isMap);
  if (!Array.isArray(before) || !Array.isArray(after)) return [];
  const left = new Set(after.keys());
  return before.flatMap((item: unknown) => {
    const index = [...left].find((each) => identity(after[each]) === identity(item));
    if (index === undefined) return [];
    left.delete(index);
    return changesWithin({ before: item, after: after[index] as unknown }, [...path, String(index)], false);
  });
}

/** The identity of an item of an array: a parameter's name, a server's address, the target of a reference. */
function identity(item: unknown): string | undefined {
  return isRecord(item) ? JSON.stringify(["in", "name", "url", "$ref", "type"].map((key) => item[key])) : undefined;
}

function isWhollyText([first]: string[], key: string): boolean {
  return first === "info" || (first === undefined && key === "tags");
}

function textChange({ before, after }: Pair<Node>, path: string[], key: string): PlacedChange {
  const [first, name, method, ...rest] = path;
  const isOperation = first === "paths" && method !== undefined;
  const place = isOperation ? `${method.toUpperCase()} ${name}` : path.join("/") || "the document";
  return {
    place,
    subject: `\`${key}\`${isOperation && rest.length > 0 ? ` of ${rest.join("/")}` : ""}`,
    impact: "documentation",
    what: verb(before[key], after[key]),
    because: "A description promises nothing.",
    ...(after[key] !== undefined && { at: { node: after, key } }),
  };
}
