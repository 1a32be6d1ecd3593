import { type MediaTypeObject, type OpenApiDocument, resolve, type Schema } from "../document/document.ts";
import { nonNullTypesOf } from "../document/effective-schema.ts";
import { shapesOf } from "../document/shape.ts";
import { essenceOf } from "../media-type.ts";
import { decodedEventSchema, hasOnlyJsonData } from "./event-schema.ts";
import { encodeEvent, ServerSentEvent, type EventFields } from "./server-sent-events.ts";

/** How the items of a sequential media type are described and written (OpenAPI 3.2, "Sequential Media Types"). */
export interface ItemFormat {
  /** Describes the value that `valueOf` returns. */
  schema: Schema | undefined;
  /** Whether clients expect items as soon as they exist, and comments while there are none. */
  isEventStream: boolean;
  /** Returns the value of an item that its schema describes; undefined if no schema does. */
  valueOf: (item: unknown) => unknown;
  /** Encodes an item with another value in place of its own. */
  encode: (item: unknown, value: unknown) => string;
}

/** Returns the format of the items of a media type; undefined if it has none. */
export function itemFormat(
  document: OpenApiDocument,
  mediaType: string,
  declared: MediaTypeObject,
): ItemFormat | undefined {
  const essence = essenceOf(mediaType);
  if (!isSequential(essence)) return undefined;
  if (essence === "text/event-stream") return eventFormat(document, declared);
  const prefix = isJsonSequence(essence) ? "\x1e" : ""; // RFC 7464, section 2.2
  return {
    schema: itemSchema(document, declared),
    isEventStream: false,
    valueOf: (item) => item,
    encode: (_item, value) => `${prefix}${jsonOf(value)}\n`,
  };
}

/** Returns whether a media type is a sequence of items: events, JSON lines or a JSON text sequence. */
export function isSequential(essence: string): boolean {
  return essence === "text/event-stream" || isJsonSequence(essence) || JSON_LINES.has(essence);
}

/** Returns whether a media type is a JSON text sequence (RFC 7464; RFC 8091). */
export function isJsonSequence(essence: string): boolean {
  return essence === "application/json-seq" || essence.endsWith("+json-seq");
}

const JSON_LINES = new Set(["application/jsonl", "application/x-ndjson", "application/x-jsonlines"]);

/** Returns the schema of one item: `itemSchema`, or `schema`, which describes the list of all items in OpenAPI 3.2. */
function itemSchema(document: OpenApiDocument, { itemSchema: own, schema }: MediaTypeObject): Schema | undefined {
  if (own !== undefined || schema === undefined || !document.openapi.startsWith("3.2.")) return own ?? schema;
  const { type, items } = resolve<Schema>(document, schema);
  return type === "array" ? (items ?? {}) : schema;
}

/** The names of an event whose schema describes more than its data. */
const EVENT_FIELDS = new Set(["data", "event", "id", "retry", "comment"]);

/** Whether a schema describes an event: it has a field `data`, and beside it only the other fields of an event. */
export function describesEvent(document: OpenApiDocument, schema: Schema | undefined): boolean {
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

function eventFormat(document: OpenApiDocument, declared: MediaTypeObject): ItemFormat {
  const schema = itemSchema(document, declared);
  return hasWholeEvents(document, declared) ? wholeEventFormat(document, schema ?? {}) : eventDataFormat(schema);
}

/** The format of events whose schema describes their data. */
function eventDataFormat(schema: Schema | undefined): ItemFormat {
  return {
    schema,
    isEventStream: true,
    valueOf: (item) => (item instanceof ServerSentEvent ? (item.isText ? undefined : item.fields.data) : item),
    encode: (item, value) => {
      if (!(item instanceof ServerSentEvent)) return `data: ${jsonOf(value)}\n\n`; // JSON has no line breaks
      return item.isText ? encodeText(item) : encodeEvent(item.fields, dataOf(value, jsonOf));
    },
  };
}

/** The format of events whose schema describes all their fields. */
function wholeEventFormat(document: OpenApiDocument, schema: Schema): ItemFormat {
  const isJsonOnly = hasOnlyJsonData(document, schema);
  const write = (data: unknown): string => {
    if (typeof data === "string" && !isJsonOnly) return data;
    const json = jsonOf(data);
    return json.startsWith('"') && !isJsonOnly ? (JSON.parse(json) as string) : json; // a date is text
  };
  return {
    schema: decodedEventSchema(document, schema),
    isEventStream: true,
    valueOf: (item) => {
      if (!(item instanceof ServerSentEvent)) return item;
      const { comment: _, ...fields } = item.fields;
      return item.isText ? undefined : fields;
    },
    encode: (item, value) => {
      const isWrapped = item instanceof ServerSentEvent;
      if (isWrapped && item.isText) return encodeText(item);
      if (typeof value !== "object" || value === null)
        throw new TypeError("An event has to be an object such as { data, event, id, retry }.");
      const fields = value as EventFields<unknown>;
      const comment = isWrapped ? item.fields.comment : fields.comment;
      return encodeEvent({ ...fields, comment }, dataOf(fields.data, write));
    },
  };
}

function encodeText({ fields }: ServerSentEvent<unknown>): string {
  if (typeof fields.data !== "string") throw new TypeError("The data of `textEvent` has to be a string.");
  return encodeEvent(fields, fields.data);
}

/** An event without data has no `data` field. */
function dataOf(data: unknown, write: (data: unknown) => string): string | undefined {
  return data === undefined ? undefined : write(data);
}

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError(`An item of a stream has to be a JSON value, not ${typeof value}.`);
  return text;
}
