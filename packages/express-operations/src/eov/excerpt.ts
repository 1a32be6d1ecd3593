import {
  requireDiscriminator,
  HOLDS_VALUES,
  IS_MAP,
  type OpenApiDocument,
  type OperationObject,
  type Schema,
  pointer,
  pointerKeys,
} from "openapi-document";

import { extensionsOf } from "../formats.ts";

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
    const place = placeOf(ref);
    const target = copyOf(pointer(document, ref));
    put(document, copy, place, place.startsWith("#/components/schemas/") ? componentOf(target) : target);
  }
  return { document: copy, at, operation: own };
}

/** Returns a component in the form that the validator reads: no `true` or `false`, and no keywords beside `$ref`. */
function componentOf(schema: unknown): unknown {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  return typeof schema === "object" && schema !== null && "$ref" in schema ? { allOf: [schema] } : schema;
}

/**
 * Moves `$ref` and `if` beside `unevaluatedProperties` or `unevaluatedItems` into `allOf`, in place, because ajv forgets the
 * names that they evaluate beside a choice.
 */
export function separateEvaluations(node: unknown, isMap = false): void {
  if (typeof node !== "object" || node === null) return;
  const schema = node as Schema;
  if (!isMap && (schema["unevaluatedProperties"] !== undefined || schema["unevaluatedItems"] !== undefined)) {
    const parts = [["$ref"], ["if", "then", "else"]].flatMap((keywords) => {
      const moved = keywords.filter((keyword) => schema[keyword] !== undefined);
      const part = Object.fromEntries(moved.map((keyword) => [keyword, schema[keyword]]));
      for (const keyword of moved) delete schema[keyword];
      return moved.length === 0 ? [] : [part];
    });
    if (parts.length > 0) schema["allOf"] = [...parts, ...((schema["allOf"] ?? []) as Schema[])];
  }
  for (const [key, value] of Object.entries(node))
    if (isMap || !HOLDS_VALUES.has(key)) separateEvaluations(value, !isMap && IS_MAP.has(key));
}

/** A reference to a part of a schema, or to a schema that is no component. */
const WITHIN_SCHEMA = /^#\/components\/schemas\/[^/]+\/|\/schema(?:\/|$)/;
const KEYWORD_NAME = /^#\/components\/schemas\/\$?id$/;

/**
 * Returns a function that returns the place in the copy for the target of a reference. ajv does not find a target within
 * another schema, and takes a component called `id` or `$id` for a keyword. These get a name of their own.
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
 * would take an `id` in one for the identifier of a schema. `nullable` without `type` does not (OpenAPI 3.0.3), and ajv rejects it. The default of a `readOnly` field is
 * left out, because it would be filled into requests and then rejected.
 */
function isAssertion(key: string, node: object): boolean {
  if (key === "default") return !("readOnly" in node && node.readOnly === true);
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
  const keywords = new Set(extensionsOf(document)?.keywords.flatMap(({ keyword }) => keyword));
  const ignoresSiblings = document.openapi.startsWith("3.0.");
  const copyOf = (node: unknown, isMap = false): unknown => {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map((item) => copyOf(item));
    expectValidated(node, isMap);
    const { $ref: ref } = (isMap ? {} : node) as Schema;
    const $ref = typeof ref === "string" ? copyReference(ref) : undefined;
    if ($ref !== undefined && ignoresSiblings) return { $ref };
    const own = !isMap && "discriminator" in node ? requireDiscriminator(document, node) : node;
    const kept = Object.entries(own).filter(([key]) => isMap || keywords.has(key) || isAssertion(key, node));
    return Object.fromEntries(
      kept.map(([key, value]): [string, unknown] => {
        if (isMap) return [key, copyOf(value)];
        if (key === "$ref" && $ref !== undefined) return [key, $ref];
        if (HOLDS_VALUES.has(key) || keywords.has(key)) return [key, structuredClone<unknown>(value)];
        return [key, copyOf(value, IS_MAP.has(key))];
      }),
    );
  };
  return (node) => copyOf(node);
}
