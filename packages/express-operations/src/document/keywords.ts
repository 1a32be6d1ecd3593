/** What the keywords of OpenAPI 3.1 and of JSON Schema hold, for whoever walks a document. */
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

/** Whether a key describes and promises nothing, as an extension does for whom it is not made. */
export function isAnnotation(key: string): boolean {
  return ANNOTATIONS.has(key) || key.startsWith("x-");
}

/** Keywords whose value is a map by names that somebody chose, so that none of the names is a keyword. */
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
]);

/** Keywords whose value holds no keywords. */
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
