import type { OpenApiDocument, Schema } from "openapi-document";
import {
  describeUnevaluatedProperties,
  forEachKeywordObject,
  removeLargeIntegers,
} from "openapi-document/openapi-typescript";
import { scalarShape, type ValueTypes } from "../contract/shapes.ts";
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
export function convertedType(schema: Schema, valueTypes: ValueTypes): string | undefined {
  const types = new Set([schema.type ?? []].flat());
  const isFile = schema.format === "binary" && (schema.type === undefined || types.has("string"));
  const dateTime = valueTypes.dates === "Date" ? "Date" : "Temporal.Instant";
  const names = { int64: "bigint", date: "Temporal.PlainDate", "date-time": dateTime };
  const shape = scalarShape(schema, valueTypes);
  const name = isFile ? "Blob" : shape && names[shape];
  return name && (types.has("null") || schema["nullable"] === true) ? `${name} | null` : name;
}
