import type { OpenApiDocument, Schema } from "../objects.ts";
import { HOLDS_VALUES, IS_MAP, isAnnotation } from "../keywords.ts";

/**
 * Visits each object of a document whose keys are keywords, such as a schema, before the objects in it. Skips values and maps. An
 * object in several places is visited once.
 */
export function forEachKeywordObject(document: OpenApiDocument, visit: (node: Schema) => void): void {
  const seen = new Set<object>();
  const descend = (node: unknown, isMap: boolean): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    const isKeyword = !isMap && !Array.isArray(node);
    if (isKeyword) visit(node as Schema);
    for (const [key, value] of Object.entries(node) as [string, unknown][]) {
      if (isKeyword && (HOLDS_VALUES.has(key) || isAnnotation(key))) continue;
      descend(value, isKeyword && IS_MAP.has(key) && !Array.isArray(value));
    }
  };
  descend(document, false);
}
