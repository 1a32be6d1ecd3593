import type { OpenApiDocument, Schema } from "openapi-document";
import {
  describeUnevaluatedProperties,
  forEachKeywordObject,
  removeLargeIntegers,
} from "openapi-document/openapi-typescript";
import type { ValueTypes } from "../contract/shapes.ts";
import { describeFiles } from "./file-schemas.ts";

/**
 * Returns a copy of a document for other generators, which may add fields. Each schema has one place in it, even if YAML aliases
 * repeat it. Files have `format: binary`, and no value is listed that the client converts or that JavaScript has rounded.
 */
export function describedValues(document: object, valueTypes: ValueTypes): OpenApiDocument {
  const json = JSON.stringify(document);
  const copy = JSON.parse(json) as OpenApiDocument;
  if (json.includes('"contentMediaType"')) describeFiles(copy);
  if (json.includes('"unevaluatedProperties"')) describeUnevaluatedProperties(copy);
  removeLargeIntegers(copy);
  // openapi-typescript writes the values of a schema in place of the type that `transform` returns.
  forEachKeywordObject(copy, (schema) => {
    if (convertedType(schema, valueTypes) === undefined) return;
    delete schema["enum"];
    delete schema["const"];
  });
  return copy;
}

/** Returns the type of a file, and of a value that the client converts; undefined for other schemas. */
export function convertedType({ format, type, nullable }: Schema, { int64, dates }: ValueTypes): string | undefined {
  const types = new Set([type ?? []].flat());
  const isText = types.has("string");
  const name = (text: string) => (types.has("null") || nullable === true ? `${text} | null` : text);
  if (format === "binary" && (type === undefined || isText)) return name("Blob");
  if (int64 === "bigint" && format === "int64" && types.has("integer")) return name("bigint");
  if (dates === "Date" && format === "date-time" && isText) return name("Date");
  if (dates === "Temporal" && format === "date-time" && isText) return name("Temporal.Instant");
  return dates === "Temporal" && format === "date" && isText ? name("Temporal.PlainDate") : undefined;
}
