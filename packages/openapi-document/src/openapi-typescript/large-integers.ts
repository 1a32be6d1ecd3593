import type { OpenApiDocument, Schema } from "../objects.ts";
import { typeOf } from "../schema/effective-schema.ts";
import { forEachKeywordObject } from "./keyword-objects.ts";

/**
 * Removes lists of values and defaults with integers beyond 2^53 − 1 from schemas, in place. JavaScript has rounded them, so
 * that their types would be those of other integers. The type of the values remains.
 */
export function removeLargeIntegers(document: OpenApiDocument): void {
  forEachKeywordObject(document, (schema) => {
    const { enum: listed, default: value } = schema;
    if (Array.isArray(listed) && hasLargeInteger(listed)) widen(schema, "enum", listed);
    if (hasLargeInteger(schema["const"])) widen(schema, "const", [schema["const"]]);
    if (hasLargeInteger(value)) delete schema["default"];
  });
}

function widen(schema: Schema, keyword: "enum" | "const", values: unknown[]): void {
  delete schema[keyword];
  const types = new Set(values.map(typeOf));
  if (!types.has("object") && !types.has("array")) schema.type ??= [...types];
}

function hasLargeInteger(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasLargeInteger);
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}
