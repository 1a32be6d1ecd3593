import { inlineHeaders } from "openapi-document/openapi-typescript";
import { HOLDS_VALUES, IS_MAP, isAnnotation, type OpenApiDocument, resolve, type Schema } from "openapi-document";
import type { OpenAPI3 } from "openapi-typescript";

/**
 * Returns a copy of a document for generating types. Each property and parameter gets the text that an editor shows on
 * hover: its description, bounds and default, also those behind a `$ref`.
 */
export function withHoverTexts(document: OpenAPI3): OpenAPI3 {
  const copy = structuredClone(document);
  inlineHeaders(copy);
  addHoverTexts(copy, copy, new Set());
  return copy;
}

/** `map` is the keyword that the node is the value of, if the author of the document chooses the node's keys. */
function addHoverTexts(document: OpenApiDocument, node: unknown, done: Set<unknown>, map?: string): void {
  if (typeof node !== "object" || node === null || done.has(node)) return;
  done.add(node); // Responses that refer to one header share it.
  if (map === undefined && "in" in node && "name" in node) {
    const parameter = node as Schema & { schema?: Schema };
    addHoverText(document, parameter, parameter.schema ?? {}, true);
  }
  for (const [key, child] of Object.entries(node) as [string, unknown][]) {
    if (map === "properties" && typeof child === "object" && child !== null)
      addHoverText(document, child as Schema, child as Schema);
    const isKeyword = map === undefined && !Array.isArray(node);
    if (isKeyword && (HOLDS_VALUES.has(key) || isAnnotation(key))) continue;
    addHoverTexts(document, child, done, isKeyword && IS_MAP.has(key) && !Array.isArray(child) ? key : undefined);
  }
}

/** Writes bounds and default into a node's description. A property's default becomes the tag `@default` instead. */
function addHoverText(document: OpenApiDocument, node: Schema, schema: Schema, isParameter = false): void {
  const target = { ...resolve<Schema>(document, schema), ...schema };
  const description = (node["description"] ?? target["description"]) as string | undefined;
  const sentences = [...boundsOf(target), ...(isParameter ? defaultOf(target) : [])];
  const text = [description?.trim(), ...sentences].filter(Boolean).join(" ");
  if (text !== "") node["description"] = text;
  if (!isParameter && target["default"] !== undefined) node["default"] = target["default"];
}

/** The bounds of a value as sentences (JSON Schema Validation, sections 6.2 to 6.4). */
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

function range(minimum: unknown, maximum: unknown, unit: string): string {
  if (typeof minimum === "number" && typeof maximum === "number") return `${minimum} to ${maximum}${unit}.`;
  if (typeof maximum === "number") return `At most ${maximum}${unit}.`;
  return typeof minimum === "number" ? `At least ${minimum}${unit}.` : "";
}

function defaultOf({ default: value }: Schema): string[] {
  return value === undefined ? [] : [`Default: ${JSON.stringify(value)}.`];
}
