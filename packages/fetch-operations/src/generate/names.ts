import { RESERVED_WORDS } from "openapi-document";

/**
 * Returns the identifier of an operationId: its words in camel case, where any character outside A–Z, a–z, 0–9, `_` and `$`
 * separates words. A digit at the beginning gets `_` before it, and a reserved word `_` after it.
 */
export function identifierOf(id: string): string {
  const isPath = /^[A-Z]+ \//.test(id);
  const words = id.split(/[^A-Za-z0-9_$]+/).filter(Boolean);
  const [first = "", ...others] = words;
  const start = isPath ? first.toLowerCase() : first;
  const name = [start, ...others.map(capitalized)].join("") || "operation";
  if (/^\d/.test(name)) return `_${name}`;
  return RESERVED_WORDS.has(name) ? `${name}_` : name;
}

/** Returns a name with a capital at its beginning. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
