import { isVersion32, type MediaTypeObject, type OpenApiDocument, resolve, type Schema } from "openapi-document";
import { kindOf } from "./bodies.ts";

/**
 * Returns an OpenAPI 3.2 document in the notation of 3.1, in which `schema` describes one item of a stream and the data of one
 * event. In 3.2, `itemSchema` describes an item, and `schema` the list of all items ("Sequential Media Types"). Other documents
 * are returned unchanged.
 */
export function withItemsAsSchemas<Document extends OpenApiDocument>(document: Document): Document {
  if (!isVersion32(document)) return document;
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== "object" || node === null) return node;
    const entries = Object.entries(node).map(([key, value]: [string, unknown]): [string, unknown] => {
      const isSequential = ["events", "lines", "sequence"].includes(kindOf(key));
      return [key, visit(isSequential && isMedia(value) ? mediaOf(document, key, value) : value)];
    });
    return Object.fromEntries(entries);
  };
  return visit(document) as Document;
}

function isMedia(value: unknown): value is MediaTypeObject {
  return typeof value === "object" && value !== null && ("itemSchema" in value || "schema" in value);
}

function mediaOf(document: OpenApiDocument, type: string, media: MediaTypeObject): MediaTypeObject {
  const { itemSchema, ...rest } = media;
  const item = itemSchema ?? resolve<Schema>(document, media.schema ?? {})["items"];
  if (item === undefined) return media;
  return { ...rest, schema: kindOf(type) === "events" ? dataSchema(document, item) : item };
}

/** Returns the schema of the data of an event: that of its JSON, or of its text if one kind of event has text. */
function dataSchema(document: OpenApiDocument, event: Schema): Schema {
  const schemas = eventsOf(document, event).map((schema) => {
    const properties = (schema["properties"] ?? {}) as Record<string, Schema>;
    return resolve<Schema>(document, properties["data"] ?? {})["contentSchema"] as Schema | undefined;
  });
  const json = schemas.filter((schema) => schema !== undefined);
  if (json.length < schemas.length) return { type: "string" };
  return json.length === 1 ? json[0]! : { anyOf: json };
}

function eventsOf(document: OpenApiDocument, event: Schema): Schema[] {
  const schema = resolve<Schema>(document, event);
  const kinds = (schema["oneOf"] ?? schema["anyOf"]) as Schema[] | undefined;
  return kinds?.flatMap((kind) => eventsOf(document, kind)) ?? [schema];
}
