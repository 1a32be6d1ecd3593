import type { OpenApiDocument } from "./objects.ts";
import { pointer } from "./references.ts";
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

/** The most references that lead to a media type. */
const MAX_HOPS = 32;

function withMediaTypes(document: OpenApiDocument): OpenApiDocument {
  const seen = new Map<object, unknown>();
  const copyOf = (node: unknown): unknown => {
    if (typeof node !== "object" || node === null) return node;
    if (seen.has(node)) return seen.get(node);
    if (Array.isArray(node)) {
      const list: unknown[] = [];
      seen.set(node, list);
      for (const item of node) list.push(copyOf(item));
      return list;
    }
    const copy: Record<string, unknown> = {};
    seen.set(node, copy);
    for (const [key, value] of Object.entries(node)) {
      if (key === "content") copy[key] = copyOf(mediaTypesOf(value));
      else copy[key] = HOLDS_VALUES.has(key) ? value : copyOf(value);
    }
    return copy;
  };

  /** Replaces each reference to a media type. A reference may lead to another one. */
  const mediaTypesOf = (content: unknown): unknown => {
    if (typeof content !== "object" || content === null) return content;
    return Object.fromEntries(
      Object.entries(content).map(([mediaType, own]) => {
        let node: unknown = own;
        for (let hops = 0; ; hops++) {
          const { $ref } = (node ?? {}) as { $ref?: unknown };
          if (typeof $ref !== "string") return [mediaType, node];
          if (hops === MAX_HOPS) throw new Error(`The reference ${$ref} leads back to itself.`);
          node = pointer(document, $ref);
        }
      }),
    );
  };
  return copyOf(document) as OpenApiDocument;
}

/** Returns whether a document is OpenAPI 3.2. */
export function isVersion32({ openapi }: OpenApiDocument): boolean {
  return /^3\.2\.\d/.test(openapi);
}
