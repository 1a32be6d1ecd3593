import type { MediaTypeObject, OpenApiDocument, Schema } from "../objects.ts";
import { isVersion32 } from "../openapi-3-2.ts";
import { resolve } from "../references.ts";
import { essenceOf, isSequential } from "../media-types.ts";
import { nonNullTypesOf } from "./effective-schema.ts";
import { decodedEventSchema } from "./event-schema.ts";
import { shapesOf } from "./shape.ts";

/**
 * Returns the schema of the values of the items of a sequential media type: of events as `decodedEventSchema` returns it, if
 * the schema describes whole events. Returns undefined for other media types, and where no schema is declared.
 */
export function valueSchema(
  document: OpenApiDocument,
  mediaType: string,
  declared: MediaTypeObject,
): Schema | undefined {
  const essence = essenceOf(mediaType);
  if (!isSequential(essence)) return undefined;
  const schema = itemSchema(document, declared);
  const isEvent = essence === "text/event-stream" && hasWholeEvents(document, declared);
  return isEvent ? decodedEventSchema(document, schema ?? {}) : schema;
}

/** Returns the schema of one item: `itemSchema`, or `schema`, which describes the array of all items in OpenAPI 3.2. */
export function itemSchema(
  document: OpenApiDocument,
  { itemSchema: own, schema }: MediaTypeObject,
): Schema | undefined {
  if (own !== undefined || schema === undefined || !isVersion32(document)) return own ?? schema;
  const { type, items } = resolve<Schema>(document, schema);
  return type === "array" ? (items ?? {}) : schema;
}

/** The names of an event whose schema describes more than its data. */
const EVENT_FIELDS = new Set(["data", "event", "id", "retry", "comment"]);

/** Whether a schema describes an event: it has a field `data`, and beside it only the other fields of an event. */
function describesEvent(document: OpenApiDocument, schema: Schema | undefined): boolean {
  const { fields, patterns } = shapesOf(document)({ schemas: typeof schema === "object" ? [schema] : [] });
  return fields.has("data") && patterns.length === 0 && [...fields.keys()].every((name) => EVENT_FIELDS.has(name));
}

/** Whether the schema of an event stream describes whole events, and not their data alone. An event is an object. */
export function hasWholeEvents(document: OpenApiDocument, declared: MediaTypeObject): boolean {
  const { itemSchema: own } = declared;
  if (own === undefined) return describesEvent(document, itemSchema(document, declared));
  const types = nonNullTypesOf(document, own);
  return types.size === 0 || types.has("object");
}
