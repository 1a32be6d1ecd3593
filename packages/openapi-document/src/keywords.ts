/** Keywords of OpenAPI 3.1 and JSON Schema that only annotate. */
const ANNOTATIONS = new Set([
  "title",
  "summary",
  "description",
  "example",
  "examples",
  "externalDocs",
  "bearerFormat",
  "$comment",
]);

/** Returns whether a key is an annotation or an extension, so that it constrains nothing. */
export function isAnnotation(key: string): boolean {
  return ANNOTATIONS.has(key) || key.startsWith("x-");
}

/** Keywords whose value is a map. Its keys are arbitrary names, not keywords. */
export const IS_MAP = new Set([
  "paths",
  "webhooks",
  "callbacks",
  "responses",
  "headers",
  "content",
  "links",
  "encoding",
  "variables",
  "schemas",
  "parameters",
  "requestBodies",
  "securitySchemes",
  "pathItems",
  "flows",
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** Keywords whose value contains no keywords. */
export const HOLDS_VALUES = new Set([
  "default",
  "enum",
  "const",
  "security",
  "required",
  "dependentRequired",
  "mapping",
  "scopes",
]);

/** Assertions by the type that they apply to. Values of other types satisfy them (JSON Schema 2020-12, Validation, section 6). */
export const ASSERTIONS_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  object: [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
  ],
  array: [
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
  ],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  string: ["pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType", "contentSchema"],
};
