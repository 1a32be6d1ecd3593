import { IS_MAP, type OpenApiDocument, pointer, type Schema } from "openapi-document";
import { isNote } from "./canonical.ts";

/** Returns a value and the targets of its references as a string, without annotations. */
export function meaningOf(document: OpenApiDocument, root: unknown): string {
  const visited = new Map<string, string>();
  const text = (value: unknown, isMap = false): string => {
    if (Array.isArray(value)) return `[${value.map((item) => text(item)).join()}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
    const { $ref } = value as Schema;
    if (!isMap && typeof $ref === "string" && !visited.has($ref)) {
      visited.set($ref, "");
      visited.set($ref, text(pointer(document, $ref)));
    }
    const entries = Object.entries(value).filter(([key]) => isMap || !isNote(key));
    const fields = entries.map(([key, child]) => `${JSON.stringify(key)}:${text(child, !isMap && IS_MAP.has(key))}`);
    return `{${fields.toSorted().join()}}`;
  };
  return [text(root), ...[...visited].map((entry) => entry.join("=")).toSorted()].join("\n");
}
