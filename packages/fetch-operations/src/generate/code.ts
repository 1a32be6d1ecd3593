import { RESERVED_WORDS } from "openapi-document";

/** Code within data that `codeOf` prints as it stands. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Prints data as TypeScript, like JSON, with `Code` as it stands. Fields that are undefined are left out. A value takes one line of at most `width`. */
export function codeOf(value: unknown, indent = "", isUntyped = false, width = 120): string {
  if (value instanceof Code) return value.text;
  if (typeof value === "string" && isUntyped) return `${JSON.stringify(value)} as const`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((item) => codeOf(item, inner, isUntyped, width))
    : Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
        if (field === undefined) return [];
        // For a name that all objects have, the compiler does not expect the type that the fields of a record have.
        return `${fieldName(name)}: ${codeOf(field, inner, isUntyped || name in Object.prototype, width)}`;
      });
  if (parts.length === 0) return `${open}${close}`;
  const line = Array.isArray(value) ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  if (indent !== "" && indent.length + line.length <= width && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

/** Returns the name of a field in code. As a string, `__proto__` sets the prototype (ECMAScript 2024, section B.3.1). */
function fieldName(name: string): string {
  return name === "__proto__" ? `["${name}"]` : JSON.stringify(name);
}

/** Returns code without its comments and the contents of its strings, which may contain any word. */
export function wordsOf(code: string): string {
  return code.replaceAll(/"(?:[^"\\]|\\.)*"|\/\*.*?\*\//gs, '""');
}

/** Writes the control characters and line separators of generated code as escapes. They are in strings and comments only. */
export function withEscapes(code: string): string {
  return code.replaceAll(
    /(?![\t\n\r])[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the lines as a JSDoc comment, or "" if there are none. */
export function comment(lines: string[], indent = ""): string {
  const inner = lines.map((line) => `${indent} * ${line.replaceAll("*/", "*\\/")}`.trimEnd());
  return lines.length === 0 ? "" : [`${indent}/**`, ...inner, `${indent} */`, ""].join("\n");
}

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

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
