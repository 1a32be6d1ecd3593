import { inlineHeaders } from "express-operations/request-defaults";
import {
  HOLDS_VALUES,
  IS_MAP,
  isAnnotation,
  type OpenApiDocument,
  resolve,
  type Schema,
} from "express-operations/reading";
import type { OpenAPI3 } from "openapi-typescript";

/**
 * A copy to generate types from, in which editors find everything where they look: each property, parameter and schema has
 * its description, bounds and default, also where these stand behind a `$ref`.
 */
export function described(document: OpenAPI3): OpenAPI3 {
  const copy = structuredClone(document);
  inlineHeaders(copy);
  describeWithin(copy, copy, new Set());
  return copy;
}

/** `map` is the keyword of which the node is the value, where the names in it are of somebody's choice. */
function describeWithin(document: OpenApiDocument, node: unknown, done: Set<unknown>, map?: string): void {
  if (typeof node !== "object" || node === null || done.has(node)) return;
  done.add(node); // Responses that refer to one header share it.
  if (map === undefined && "in" in node && "name" in node) {
    const parameter = node as Schema & { schema?: Schema };
    describe(document, parameter, parameter.schema ?? {}, true);
  }
  for (const [key, child] of Object.entries(node) as [string, unknown][]) {
    if (map === "properties" && typeof child === "object" && child !== null)
      describe(document, child as Schema, child as Schema);
    const isKeyword = map === undefined && !Array.isArray(node);
    if (isKeyword && (HOLDS_VALUES.has(key) || isAnnotation(key))) continue;
    describeWithin(document, child, done, isKeyword && IS_MAP.has(key) && !Array.isArray(child) ? key : undefined);
  }
}

/** Adds to a node what its schema says; a property's default has a tag of its own in the generated comment. */
function describe(document: OpenApiDocument, node: Schema, schema: Schema, isParameter = false): void {
  const target = { ...resolve<Schema>(document, schema), ...schema };
  const description = (node["description"] ?? target["description"]) as string | undefined;
  const sentences = [...boundsOf(target), ...(isParameter ? defaultOf(target) : [])];
  const text = [description?.trim(), ...sentences].filter(Boolean).join(" ");
  if (text !== "") node["description"] = text;
  if (!isParameter && target["default"] !== undefined) node["default"] = target["default"];
}

/** The bounds of a value as sentences: JSON Schema Validation, sections 6.2 to 6.4. */
function boundsOf(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return [
    range(schema["minLength"], schema["maxLength"], " characters"),
    range(schema["minItems"], schema["maxItems"], " items"),
    range(minimum, maximum, ""),
    typeof exclusiveMinimum === "number" ? `More than ${exclusiveMinimum}.` : "",
    typeof exclusiveMaximum === "number" ? `Less than ${exclusiveMaximum}.` : "",
    typeof multipleOf === "number" ? `A multiple of ${multipleOf}.` : "",
  ];
}

function range(least: unknown, most: unknown, unit: string): string {
  if (typeof least === "number" && typeof most === "number") return `${least} to ${most}${unit}.`;
  if (typeof most === "number") return `At most ${most}${unit}.`;
  return typeof least === "number" ? `At least ${least}${unit}.` : "";
}

function defaultOf({ default: value }: Schema): string[] {
  return value === undefined ? [] : [`Default: ${JSON.stringify(value)}.`];
}
