import type { OpenApiDocument, Reference } from "./objects.ts";

/**
 * Returns a node itself, or the target of its `$ref` within the document. Throws if the `$ref` is no string, or leads
 * nowhere.
 */
export function resolve<Target>(document: OpenApiDocument, node: Target | Reference): Target {
  let target: unknown = node;
  for (let hops = 0; isReference(target); hops++) {
    if (hops === 32) throw new Error(`The reference ${target.$ref} leads back to itself.`);
    target = pointer(document, target.$ref);
  }
  return target as Target;
}

/** Returns the node at a `#/…` JSON pointer (RFC 6901). `withLocalReferences` makes other references of a document pointers. */
export function pointer(document: OpenApiDocument, ref: string): unknown {
  if (!ref.startsWith("#/")) {
    const fault = ref.startsWith("#")
      ? "leads to no schema, or to several. Refer to one by its path."
      : "leaves the document. Bundle it first: `redocly bundle` does.";
    throw new Error(`The reference ${ref} ${fault}`);
  }
  let node: unknown = document;
  for (const key of pointerKeys(ref)) node = (node as Record<string, unknown> | undefined)?.[key];
  if (node === undefined) throw new Error(`The reference ${ref} has no target.`);
  return node;
}

/** Returns the keys of a `#/…` JSON pointer, unescaped. */
export function pointerKeys(ref: string): string[] {
  return ref
    .slice(2)
    .split("/")
    .map((key) => unescapeKey(decodeURIComponent(key)));
}

/** Escapes a key of a JSON pointer (RFC 6901, section 3). */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Unescapes a key of a JSON pointer (RFC 6901, section 4). */
export function unescapeKey(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

function isReference(node: unknown): node is Reference {
  if (typeof node !== "object" || node === null || (node as Partial<Reference>).$ref === undefined) return false;
  if (typeof (node as Reference).$ref !== "string") throw new Error("The value of $ref must be a string.");
  return true;
}
