/** Words that cannot name a constant of a module in strict mode (ECMAScript 2024, section 12.7.2), and globals of the generated code. */
const RESERVED = new Set(
  "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield".split(
    " ",
  ),
);

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
  return RESERVED.has(name) ? `${name}_` : name;
}

/** Returns a name with a capital at its beginning. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Names that no type alias can have. */
const TYPES = new Set("any bigint boolean never number object string symbol undefined unknown void".split(" "));

/** Returns whether a text can name a type as it stands. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && !RESERVED.has(name) && !TYPES.has(name);
}
