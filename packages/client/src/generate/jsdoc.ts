/** Lines as the documentation of a declaration; nothing without any. */
export function comment(lines: string[], indent = ""): string {
  const inner = lines.map((line) => `${indent} * ${line.replaceAll("*/", "*\\/")}`.trimEnd());
  return lines.length === 0 ? "" : [`${indent}/**`, ...inner, `${indent} */`, ""].join("\n");
}
