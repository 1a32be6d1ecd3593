import type { OpenApiDocument, Reference } from "./objects.ts";
import { resolve } from "./references.ts";
import { isRecord } from "./schema/effective-schema.ts";
import { withInheritance } from "./schema/inheritance.ts";
import { withLocalReferences } from "./local-references.ts";
import { HOLDS_VALUES } from "./keywords.ts";

/**
 * Returns a document in the form that this package reads. References are JSON pointers. In OpenAPI 3.2, referenced
 * media types are written out. Children inherit from a parent that lists them.
 */
export function readableDocument(document: OpenApiDocument): OpenApiDocument {
  const local = withLocalReferences(document);
  return withInheritance(isVersion32(local) ? withMediaTypes(local) : local);
}

/** Replaces each reference to a media type. A reference may lead to another one. */
function withMediaTypes(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  const seen = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    for (const [key, value] of Object.entries(node)) {
      if (HOLDS_VALUES.has(key)) continue;
      if (key === "content" && isRecord(value))
        for (const [mediaType, own] of Object.entries(value))
          if (typeof (own as Partial<Reference> | null)?.$ref === "string") value[mediaType] = resolve(copy, own);
      visit(value);
    }
  };
  visit(copy);
  return copy;
}

/** Returns whether a document is OpenAPI 3.2. */
export function isVersion32({ openapi }: OpenApiDocument): boolean {
  return /^3\.2\.\d/.test(openapi);
}
