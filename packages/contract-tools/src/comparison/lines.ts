import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { PartChange } from "./documents.ts";

/**
 * Returns a function that finds the line, from 1, of a changed part in the text of its document. The line is undefined for a
 * removal and for a part from another file.
 */
export function lineFinder(text: string, document: object): (at: PartChange["at"]) => number | undefined {
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter });
  const paths = new Map<object, string[]>();
  locate(document, [], paths);
  return (at) => {
    const path = at && paths.get(at.node);
    if (path === undefined) return undefined;
    const offset = offsetOf(contents, at?.key === undefined ? path : [...path, at.key]);
    return offset === undefined ? undefined : lineCounter.linePos(offset).line;
  };
}

function locate(node: object, path: string[], paths: Map<object, string[]>): void {
  paths.set(node, path);
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === "object" && value !== null) locate(value as object, [...path, key], paths);
  }
}

/** The offset of the key, or of the list item, at the end of a path. */
function offsetOf(contents: unknown, path: string[]): number | undefined {
  let node = contents;
  let offset: number | undefined = 0;
  for (const key of path) {
    if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = (node as { range?: [number, number, number] } | undefined)?.range?.[0];
    } else {
      const pair = isMap(node)
        ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
        : undefined;
      if (pair === undefined) return undefined;
      offset = isScalar(pair.key) ? pair.key.range?.[0] : undefined;
      node = pair.value;
    }
  }
  return offset;
}
