import { forEachKeywordObject, inlineHeaders } from "openapi-document/openapi-typescript";
import { isRecord, type OpenApiDocument, propertiesOf, resolve, type Schema } from "openapi-document";

/**
 * Returns a copy of a document for generating types. Each property and parameter gets the text that an editor shows on
 * hover: its description, bounds and default, also those behind a `$ref`.
 */
export function withHoverTexts<Document extends OpenApiDocument>(document: Document): Document {
  const copy = structuredClone(document);
  inlineHeaders(copy);
  forEachKeywordObject(copy, (node) => {
    if ("in" in node && "name" in node) addHoverText(copy, node, (node as { schema?: Schema }).schema ?? {}, true);
    for (const property of Object.values(propertiesOf(node)))
      if (isRecord(property)) addHoverText(copy, property, property);
  });
  return copy;
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
