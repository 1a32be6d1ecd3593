/** The longest list that is written out, in characters. */
const MAX_LENGTH = 200;

/** Returns `a, b and c`. */
export function listOf(items: readonly string[], conjunction: "and" | "or"): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${conjunction} ${items.at(-1)}`;
}

/**
 * Returns `a, b, c`, or `a, b and 7 more` for a long list. `total` is the number of items if `items` holds only the
 * first of them.
 */
export function shortened(items: readonly string[], total = items.length): string {
  let length = 0;
  const shown = items.filter((item) => (length += item.length + 2) <= MAX_LENGTH);
  if (shown.length === 0) return "those in the API description";
  return shown.length === total ? shown.join(", ") : `${shown.join(", ")} and ${total - shown.length} more`;
}

/** Returns a list of names, shortened. Names that are no plain words are in quotation marks. */
export function nameList(names: readonly string[]): string {
  const plain = /^[\p{L}\p{M}\p{N}_.[\]-]+$/u;
  return shortened(names.map((name) => (plain.test(name) ? name : JSON.stringify(name))));
}

/** Returns `a`, or `one of: a, b`. */
export function oneOf(items: readonly string[], total = items.length): string {
  return total === 1 ? shortened(items) : `one of: ${shortened(items, total)}`;
}

/** Returns a value of the wrong type as a message shows it: without its content, which may be secret. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
