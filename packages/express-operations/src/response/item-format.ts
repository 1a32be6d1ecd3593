import {
  essenceOf,
  hasOnlyJsonData,
  hasWholeEvents,
  isJsonSequence,
  isSequential,
  itemSchema,
  type MediaTypeObject,
  type OpenApiDocument,
  type Schema,
  valueSchema,
} from "openapi-document";
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
  const schema = valueSchema(document, mediaType, declared);
  if (essence === "text/event-stream") {
    if (!hasWholeEvents(document, declared)) return eventDataFormat(schema);
    return wholeEventFormat(schema, hasOnlyJsonData(document, itemSchema(document, declared) ?? {}));
  }
  const prefix = isJsonSequence(essence) ? "\x1e" : ""; // RFC 7464, section 2.2
  return {
    schema,
    isEventStream: false,
    valueOf: (item) => item,
    encode: (_item, value) => `${prefix}${jsonOf(value)}\n`,
  };
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
function wholeEventFormat(schema: Schema | undefined, isJsonOnly: boolean): ItemFormat {
  const write = (data: unknown): string => {
    if (typeof data === "string" && !isJsonOnly) return data;
    const json = jsonOf(data);
    return json.startsWith('"') && !isJsonOnly ? (JSON.parse(json) as string) : json; // a date is text
  };
  return {
    schema,
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
