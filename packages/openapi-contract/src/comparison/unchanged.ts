import { isDeepStrictEqual } from "node:util";
import { isRecord } from "openapi-document";
import type { Documents, Pair } from "./changes.ts";

/** What gives the parts of a document their meaning: its version, and what operations inherit. */
const INHERITED = ["openapi", "jsonSchemaDialect", "security", "servers", "tags"] as const;

/**
 * Returns whether two values are the same in both documents, with all components that they refer to. It spares the comparison of
 * what has not changed. A value with a reference to something else is taken for changed.
 */
export function unchangedIn(documents: Documents): (values: Pair<unknown>) => boolean {
  const { before, after } = documents as unknown as Pair<Record<string, unknown>>;
  if (INHERITED.some((key) => !isDeepStrictEqual(before[key], after[key]))) return () => false;
  const references = new Map<string, Set<string>>();
  const changed = new Set<string>();
  const old = new Map(sectionsOf(before));
  for (const [section, components] of sectionsOf(after))
    for (const [name, component] of Object.entries(components)) {
      const key = `#/components/${section}/${name}`;
      references.set(key, referencesIn(component));
      if (!isDeepStrictEqual(old.get(section)?.[name], component)) changed.add(key);
    }
  const isKept = (reference: string) => references.has(reference) && !changed.has(reference);
  for (let count = -1; count !== changed.size;) {
    count = changed.size;
    for (const [key, own] of references) if (!changed.has(key) && ![...own].every(isKept)) changed.add(key);
  }
  return (values) => isDeepStrictEqual(values.before, values.after) && [...referencesIn(values.after)].every(isKept);
}

function sectionsOf({ components = {} }: Record<string, unknown>): [string, Record<string, unknown>][] {
  return Object.entries(components as Record<string, Record<string, unknown>>);
}

/** Returns the references in a value, each up to its component. */
function referencesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) referencesIn(item, found);
  else if (isRecord(value))
    for (const [key, part] of Object.entries(value)) {
      if (key === "mapping" && isRecord(part))
        for (const target of Object.values(part)) found.add(componentOf(String(target)));
      if (typeof part === "string" && /^\$(?:dynamicR|recursiveR|r)ef$/.test(key)) found.add(componentOf(part));
      referencesIn(part, found);
    }
  return found;
}

/** The names of a discriminator's mapping may be those of schemas. */
function componentOf(reference: string): string {
  if (!/[#/]/.test(reference)) return `#/components/schemas/${reference}`;
  return /^#\/components\/[^/]+\/[^/]+/.exec(reference)?.[0] ?? reference;
}
