import { isVersion32, type OpenApiDocument, pointer } from "./document.ts";
import { withInheritance } from "./inheritance.ts";
import { HOLDS_VALUES } from "./keywords.ts";

/**
 * Returns a document in the form that this package reads. In OpenAPI 3.2, references with the document's own `$self` URI
 * point into the document, and referenced media types are written out. Children inherit from a parent that lists them.
 */
export function readableDocument(document: OpenApiDocument): OpenApiDocument {
  return withInheritance(isVersion32(document) ? copied(document) : document);
}

/** The most references that lead to a media type. */
const MAX_HOPS = 32;

function copied(document: OpenApiDocument): OpenApiDocument {
  const { $self } = document as { $self?: string };
  const prefix = $self === undefined ? undefined : `${$self}#`;
  const localOf = (ref: string) =>
    prefix !== undefined && ref.startsWith(prefix) ? ref.slice(prefix.length - 1) : ref;
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
      if (key === "$ref" && typeof value === "string") copy[key] = localOf(value);
      else if (key === "content") copy[key] = copyOf(mediaTypesOf(value));
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
          node = pointer(document, localOf($ref));
        }
      }),
    );
  };
  return copyOf(document) as OpenApiDocument;
}
