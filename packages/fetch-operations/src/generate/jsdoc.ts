/** Returns the lines as a JSDoc comment, or "" if there are none. */
export function comment(lines: string[], indent = ""): string {
  const inner = lines.map((line) => `${indent} * ${line.replaceAll("*/", "*\\/")}`.trimEnd());
  return lines.length === 0 ? "" : [`${indent}/**`, ...inner, `${indent} */`, ""].join("\n");
}
