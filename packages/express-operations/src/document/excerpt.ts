import { HOLDS_VALUES, IS_MAP } from "./keywords.ts";
import { type OpenApiDocument, type OperationObject, pointer, pointerKeys } from "./document.ts";

/**
 * Returns a document that holds one operation, at the path `at`, and the targets of its references. The cost is
 * independent of the size of the document, and errors elsewhere in it have no effect. Examples are left out.
 */
export function excerpt(
  document: OpenApiDocument,
  method: string,
  operation: OperationObject,
): { document: OpenApiDocument; at: string } {
  let at = "/";
  while (at in (document.paths ?? {})) at += "_";
  const copy = {
    openapi: document.openapi,
    info: { title: operation.operationId ?? "", version: "0" },
    paths: { [at]: { [method]: copyOf(operation) } },
    components: {},
  };
  const pending = referencesIn(copy.paths);
  const seen = new Set<string>();
  while (pending.length > 0) {
    const ref = pending.pop()!;
    if (seen.has(ref)) continue;
    seen.add(ref);
    pending.push(...referencesIn(transplant(document, copy, ref)));
  }
  return { document: copy, at };
}

/** Copies the target of a reference alone to the same place in the copy. */
function transplant(document: OpenApiDocument, copy: object, ref: string): unknown {
  const keys = pointerKeys(ref);
  pointer(document, ref);
  let source: unknown = document;
  let target = copy as Record<string, unknown>;
  for (const [depth, key] of keys.entries()) {
    source = (source as Record<string, unknown>)[key];
    if (depth === keys.length - 1) break;
    target[key] ??= Array.isArray(source) ? [] : {};
    target = target[key] as Record<string, unknown>;
  }
  const last = keys.at(-1)!;
  return (target[last] = copyOf(source));
}

/**
 * Returns whether a keyword affects validation. Examples do not, and may refer to anything. `nullable` without `type`
 * does not (OpenAPI 3.0.3), and ajv rejects it. The default of a `readOnly` field is left out, because it would be
 * filled into requests and then rejected.
 */
function isAssertion(key: string, node: object): boolean {
  if (key === "default") return !("readOnly" in node && node.readOnly === true);
  return key !== "example" && key !== "examples" && (key !== "nullable" || "type" in node);
}

/** Throws for names that ajv ignores, because it would accept values that they forbid. */
function expectValidated(node: object, isMap: boolean): void {
  const required = !isMap && "required" in node && Array.isArray(node.required) ? (node.required as unknown[]) : [];
  if (required.includes(""))
    throw new Error("A schema requires a field whose name is empty, which ajv does not check.");
  if (required.includes("__proto__") || (isMap && Object.hasOwn(node, "__proto__")))
    throw new Error('A schema names a field "__proto__", which ajv does not check.');
}

function copyOf(node: unknown, isMap = false): unknown {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => copyOf(item));
  expectValidated(node, isMap);
  const kept = Object.entries(node).filter(([key]) => isMap || isAssertion(key, node));
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (isMap) return [key, copyOf(value)];
      return [key, HOLDS_VALUES.has(key) ? structuredClone<unknown>(value) : copyOf(value, IS_MAP.has(key))];
    }),
  );
}

function referencesIn(node: unknown, found: string[] = [], isMap = false): string[] {
  if (typeof node !== "object" || node === null) return found;
  for (const [key, value] of Object.entries(node)) {
    if (isMap) referencesIn(value, found);
    else if (key === "$ref" && typeof value === "string") found.push(value);
    else if (!HOLDS_VALUES.has(key)) referencesIn(value, found, IS_MAP.has(key));
  }
  return found;
}
