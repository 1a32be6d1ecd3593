import { requireDiscriminator } from "./required-discriminator.ts";
import { HOLDS_VALUES, IS_MAP } from "./keywords.ts";
import { type OpenApiDocument, type OperationObject, pointer, pointerKeys, referenceOf } from "./document.ts";

/** A document that holds one operation, and the path of the operation. */
export interface Excerpt {
  document: OpenApiDocument;
  at: string;
  operation: OperationObject;
}

/**
 * Returns a document that holds one operation, and the targets of its references. The cost is independent of the size of
 * the document, and errors elsewhere in it have no effect. Examples are left out.
 */
export function excerpt(document: OpenApiDocument, method: string, operation: OperationObject): Excerpt {
  let at = "/";
  while (at in (document.paths ?? {})) at += "_";
  const pending: string[] = [];
  const placeOf = placesOf(document);
  const copyOf = copier(document, (ref) => {
    pending.push(ref);
    return placeOf(ref);
  });
  const own = copyOf(operation) as OperationObject;
  const copy = {
    openapi: document.openapi.replace(/^3\.2\..*/, "3.1.2"), // the validator knows no later version
    info: { title: operation.operationId ?? "", version: "0" },
    paths: { [at]: { [method]: own } },
    components: {},
  };
  const seen = new Set<string>();
  while (pending.length > 0) {
    const ref = pending.pop()!;
    if (seen.has(ref)) continue;
    seen.add(ref);
    put(document, copy, placeOf(ref), objectOf(copyOf(pointer(document, ref))));
  }
  return { document: copy, at, operation: own };
}

/** Returns a schema as an object, because the validator takes no component that is `true` or `false`. */
function objectOf(node: unknown): unknown {
  if (typeof node !== "boolean") return node;
  return node ? {} : { not: {} };
}

/** A reference to a part of a schema, or to a schema that is no component. */
const WITHIN_SCHEMA = /^#\/components\/schemas\/[^/]+\/|\/schema(?:\/|$)/;
const KEYWORD_NAME = /^#\/components\/schemas\/\$?id$/;

/**
 * Returns a function that returns the place in the copy for the target of a reference. ajv does not find a target within
 * another schema, or one that is named by `$id` or `$anchor` elsewhere in the document, and takes a component called `id` or `$id` for a keyword. These get a name of their own.
 */
function placesOf(document: OpenApiDocument): (ref: string) => string {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: object };
  const places = new Map<string, string>();
  return (ref) => {
    if (ref.startsWith("#/") && !WITHIN_SCHEMA.test(ref) && !KEYWORD_NAME.test(ref)) return ref;
    let place = places.get(ref);
    for (let number = places.size + 1; place === undefined; number++)
      if (!(`Part${number}` in schemas)) place = `#/components/schemas/Part${number}`;
    places.set(ref, place);
    return place;
  };
}

/** Puts a node at a place of the copy. A parent that the copy lacks becomes a list if the document has a list there. */
function put(document: OpenApiDocument, copy: object, place: string, node: unknown): void {
  const keys = pointerKeys(place);
  let source: unknown = document;
  let target = copy as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) {
    source = (source as Record<string, unknown> | undefined)?.[key];
    target[key] ??= Array.isArray(source) ? [] : {};
    target = target[key] as Record<string, unknown>;
  }
  target[keys.at(-1)!] = node;
}

/**
 * Returns whether a keyword affects validation. Examples do not, and may refer to anything. Extensions do not, and ajv
 * would take an `id` in one for the identifier of a schema. `$id` and anchors do not, because the copy refers by
 * pointers. `nullable` without `type` does not (OpenAPI 3.0.3), and ajv rejects it. The default of a `readOnly` field is
 * left out, because it would be filled into requests and then rejected.
 */
function isAssertion(key: string, node: object): boolean {
  if (key === "default") return !("readOnly" in node && node.readOnly === true);
  if (key === "$id" || key === "$anchor" || key === "$dynamicAnchor") return false;
  if (key.startsWith("x-")) return key.startsWith("x-eov-");
  return key !== "example" && key !== "examples" && (key !== "nullable" || "type" in node);
}

/** Throws for names that ajv ignores, because it would accept values that they forbid. */
export function expectValidated(node: object, isMap: boolean): void {
  const required = !isMap && "required" in node && Array.isArray(node.required) ? (node.required as unknown[]) : [];
  if (required.includes(""))
    throw new Error("A schema requires a field whose name is empty, which ajv does not check.");
  if (required.includes("__proto__") || (isMap && Object.hasOwn(node, "__proto__")))
    throw new Error('A schema names a field "__proto__", which ajv does not check.');
}

/**
 * Returns a function that copies a node of a document. `copyReference` returns the reference of the copy. OpenAPI 3.0 ignores
 * keywords beside a reference. Keywords of JSON Schema replace discriminators.
 */
function copier(document: OpenApiDocument, copyReference: (ref: string) => string): (node: unknown) => unknown {
  const ignoresSiblings = document.openapi.startsWith("3.0.");
  const copyOf = (node: unknown, isMap = false): unknown => {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map((item) => copyOf(item));
    expectValidated(node, isMap);
    const ref = isMap ? undefined : referenceOf(node);
    const $ref = ref && copyReference(ref);
    if ($ref !== undefined && ignoresSiblings) return { $ref };
    const own = !isMap && "discriminator" in node ? requireDiscriminator(document, node) : node;
    const kept = Object.entries(own).filter(([key]) => isMap || isAssertion(key, node));
    return Object.fromEntries(
      kept.map(([key, value]): [string, unknown] => {
        if (isMap) return [key, copyOf(value)];
        if ((key === "$ref" || key === "$dynamicRef") && $ref !== undefined) return ["$ref", $ref];
        if (HOLDS_VALUES.has(key)) return [key, structuredClone<unknown>(value)];
        return [key, copyOf(value, IS_MAP.has(key))];
      }),
    );
  };
  return (node) => copyOf(node);
}
