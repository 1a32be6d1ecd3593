import { requireDiscriminator } from "./required-discriminator.ts";
import type { OpenApiDocument, Schema } from "../objects.ts";
import { resolve } from "../references.ts";
import { shapesOf } from "./shape.ts";
import { essenceOf, isJson } from "../media-types.ts";

/** Keywords whose schemas describe the same event. */
const LISTS = ["allOf", "oneOf", "anyOf"] as const;
const SINGLE = ["if", "then", "else", "not"] as const;

/**
 * Returns an event schema in which `data` strings of `contentMediaType: application/json` have the schema of their JSON,
 * because handlers return the value. References to parts of the event are replaced by copies of their targets.
 */
export function decodedEventSchema(document: OpenApiDocument, schema: Schema): Schema {
  const hasJson = dataSchemas(document, schema).some(isJsonContent);
  return hasJson ? decode(document, schema, []) : schema;
}

/** Whether the data of every event is JSON by its schema, so that a string is written as JSON too. */
export function hasOnlyJsonData(document: OpenApiDocument, schema: Schema): boolean {
  const schemas = dataSchemas(document, schema);
  return schemas.length > 0 && schemas.every(isJsonContent);
}

function dataSchemas(document: OpenApiDocument, schema: Schema): Schema[] {
  const { fields } = shapesOf(document)({ schemas: [schema] });
  return (fields.get("data")?.schemas ?? []).map((data) => resolve<Schema>(document, data));
}

function decode(document: OpenApiDocument, node: Schema, outer: readonly Schema[]): Schema {
  const { $ref, ...beside } = node;
  const ignoresSiblings = document.openapi.startsWith("3.0.");
  if ($ref !== undefined && !ignoresSiblings && Object.keys(beside).length > 0)
    return decode(document, { ...beside, allOf: [{ $ref }, ...((beside["allOf"] ?? []) as Schema[])] }, outer);
  const target = resolve<Schema>(document, node);
  if (outer.includes(target)) return target;
  const decodePart = (part: Schema): Schema =>
    typeof part === "object" && part !== null ? decode(document, part, [...outer, target]) : part;
  const copy = requireDiscriminator(document, target); // its mapping names references that are copies now
  for (const keyword of LISTS)
    if (Array.isArray(copy[keyword])) copy[keyword] = (copy[keyword] as Schema[]).map(decodePart);
  for (const keyword of SINGLE) if (copy[keyword] !== undefined) copy[keyword] = decodePart(copy[keyword] as Schema);
  const { data } = (copy["properties"] ?? {}) as { data?: Schema };
  if (typeof data === "object")
    copy["properties"] = { ...(copy["properties"] as object), data: decodedData(resolve<Schema>(document, data)) };
  return copy;
}

/** A plain string beside variants of JSON describes the text of all of them, so it does not restrict the value. */
function decodedData(data: Schema): Schema {
  if (isJsonContent(data)) return (data["contentSchema"] ?? {}) as Schema;
  return Object.keys(data).every((key) => key === "type" || key === "description") && data.type === "string"
    ? {}
    : data;
}

/** Whether a schema describes a string whose content is JSON. */
function isJsonContent({ contentMediaType }: Schema): boolean {
  return typeof contentMediaType === "string" && isJson(essenceOf(contentMediaType));
}
