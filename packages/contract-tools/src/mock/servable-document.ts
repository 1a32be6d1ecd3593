import { runInNewContext } from "node:vm";
import { exampleValue } from "express-operations/example-value";
import { compilePattern, type OpenApiDocument, resolve, type Schema } from "openapi-document";

/** The most schemas that may apply to one value. */
const MAX_APPLIED = 100_000;
/** The time in milliseconds in which a pattern has to reject a short text. */
const MAX_MATCH = 50;
const SHORT_TEXT = 40;
/** No text is made for a longer pattern, because its automaton is large. */
const MAX_PATTERN = 500;

/**
 * Returns a document whose schemas validate a value in a short time, even if it is by strangers. A text that matches takes the
 * place of a pattern that backtracks too long, and `warn` gets a line for it. Throws if references multiply the schemas that
 * apply to one value.
 */
export function servableDocument(document: OpenApiDocument, warn: (line: string) => void): OpenApiDocument {
  const schemas = new Map<object, number>();
  const patterns = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { pattern, patternProperties } = node as Schema;
    if (typeof pattern === "string") patterns.add(pattern);
    for (const name of Object.keys(patternProperties ?? {})) patterns.add(name);
    appliedBy(document, node, schemas);
    for (const child of Object.values(node)) visit(child);
  };
  visit(document);
  const costly = new Set([...patterns].filter(isCostly));
  if (costly.size === 0) return document;
  for (const pattern of costly) warn(`The pattern ${pattern} backtracks too long, so the mock does not check it.`);
  return JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (costly.has(key)) return undefined; // in `patternProperties`
    const { pattern, ...others } = (value ?? {}) as Schema;
    if (typeof pattern !== "string" || !costly.has(pattern)) return value;
    return { example: matchingText(pattern, Number(others["minLength"] ?? 1)), ...others };
  }) as OpenApiDocument;
}

/** Returns how many schemas apply to a value of a schema, through references and members. */
function appliedBy(document: OpenApiDocument, node: unknown, known: Map<object, number>): number {
  if (typeof node !== "object" || node === null) return 1;
  const found = known.get(node);
  if (found !== undefined) return found;
  known.set(node, 1); // a circle is counted once
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = node as Schema;
  const target = typeof $ref === "string" && $ref.startsWith("#/") ? [targetOf(document, $ref)] : [];
  const applied = [allOf, anyOf, oneOf].flat().concat(not, condition, then, otherwise, ...target);
  const count = applied.reduce((sum: number, each) => sum + appliedBy(document, each, known), 1);
  if (count > MAX_APPLIED)
    throw new Error(
      `More than ${MAX_APPLIED} schemas apply to one value of ${$ref ?? "a schema"}. Refer to each once.`,
    );
  known.set(node, count);
  return count;
}

/** Returns the target of a reference; undefined for a broken one, which its operation reports. */
function targetOf(document: OpenApiDocument, $ref: string): unknown {
  try {
    return resolve<unknown>(document, { $ref });
  } catch {
    return undefined;
  }
}

/** Whether a pattern takes long to reject a short text. Only a repeated group can do so. */
function isCostly(pattern: string): boolean {
  if (!/\)[*+{]/.test(pattern)) return false;
  try {
    const text = `${matchingText(pattern, SHORT_TEXT)}\0`;
    runInNewContext("regExp.test(text)", { regExp: compilePattern(pattern), text }, { timeout: MAX_MATCH });
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
  }
}

function matchingText(pattern: string, minLength: number): string {
  try {
    if (pattern.length > MAX_PATTERN) return "a".repeat(minLength);
    return String(exampleValue({ openapi: "3.1.0" }, { type: "string", pattern, minLength }, "a pattern"));
  } catch {
    return "a".repeat(SHORT_TEXT);
  }
}
