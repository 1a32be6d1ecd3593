import {
  type OpenApiDocument,
  type OperationEntry,
  pointer,
  pointerKeys,
  type RequestBodyObject,
  resolve,
} from "./document.ts";

/**
 * The document cut down to one operation, standing alone at the path `at`, and what it reaches through `$ref`. Its cost does
 * not depend on the size of the whole, and nothing broken elsewhere can break it.
 */
export function excerpt(document: OpenApiDocument, entry: OperationEntry): { document: OpenApiDocument; at: string } {
  const { callbacks: _, ...operation } = structuredClone(entry.operation);
  if (operation.requestBody !== undefined) {
    const requestBody = structuredClone(resolve<RequestBodyObject>(document, operation.requestBody));
    operation.requestBody = { ...requestBody, required: requestBody.required ?? false }; // the validator does not know the default
  }
  let at = "/";
  while (at in (document.paths ?? {})) at += "_";
  const copy = {
    openapi: document.openapi,
    info: { title: entry.id, version: "0" },
    paths: { [at]: { [entry.method]: { ...operation, parameters: structuredClone(entry.parameters) } } },
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

/** Copies what a reference names to the same place of the copy: a component as a whole, anything else by itself. */
function transplant(document: OpenApiDocument, copy: object, ref: string): unknown {
  const all = pointerKeys(ref);
  const keys = all[0] === "components" ? all.slice(0, 3) : all;
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
  target[last] = fill(target[last], source);
  return target[last];
}

/** What a reference into the middle of a node left of it so far, completed. */
function fill(partial: unknown, source: unknown): unknown {
  if (typeof partial !== "object" || partial === null) return partial ?? structuredClone(source);
  for (const [key, value] of Object.entries(source as object)) {
    (partial as Record<string, unknown>)[key] = fill((partial as Record<string, unknown>)[key], value);
  }
  return partial;
}

/** Where every key is a name that somebody chose, and none a keyword. */
const NAMED = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "content",
  "responses",
  "headers",
]);
/** Keywords whose values are data, in which `$ref` would be a field like any other. */
const DATA = new Set(["example", "examples", "default", "const", "enum"]);

function referencesIn(node: unknown, found: string[] = [], isNamed = false): string[] {
  if (typeof node !== "object" || node === null) return found;
  for (const [key, value] of Object.entries(node)) {
    if (isNamed) referencesIn(value, found);
    else if (key === "$ref" && typeof value === "string") found.push(value);
    else if (!DATA.has(key)) referencesIn(value, found, NAMED.has(key));
  }
  return found;
}
