/** The fields of an event (WHATWG HTML, section 9.2.6), with any JSON value as its data. */
export interface EventFields<Data> {
  /** Sent as it is if it is a string of an event schema, and as JSON otherwise. */
  data?: Data;
  event?: string | undefined;
  id?: string | undefined;
  /** The time in milliseconds after which a client reconnects. */
  retry?: number | undefined;
  /** Lines that clients ignore. */
  comment?: string | undefined;
}

/** An event with fields beside its data. `event` and `textEvent` create it. */
export class ServerSentEvent<Data> {
  readonly fields: EventFields<Data>;
  /** Whether `data` is text that no schema describes. */
  readonly isText: boolean;

  constructor(fields: EventFields<Data>, isText: boolean) {
    this.fields = fields;
    this.isText = isText;
  }
}

/** Returns an event for a stream whose schema describes the data of its events alone. */
export function event<Data>(fields: EventFields<Data>): ServerSentEvent<Data> {
  return new ServerSentEvent(fields, false);
}

/** Returns an event whose data is text outside the schema, such as the `[DONE]` that ends some streams. */
export function textEvent(data: string, fields: Omit<EventFields<never>, "data"> = {}): ServerSentEvent<never> {
  return new ServerSentEvent<never>({ ...fields, data: data as never }, true);
}

/** A comment, which keeps a quiet connection open. */
export const KEEP_ALIVE = ":\n\n";

/**
 * Encodes an event. Line breaks in its data and comment begin further lines. Throws for line breaks in `event` and `id`, for
 * NUL in `id` (clients ignore such an id) and for a `retry` other than whole milliseconds.
 */
export function encodeEvent(
  { event: type, id, retry, comment }: EventFields<unknown>,
  data: string | undefined,
): string {
  let text = comment === undefined ? "" : lines(": ", comment);
  if (type !== undefined) text += `event: ${oneLine("event", type)}\n`;
  if (id !== undefined) text += `id: ${oneLine("id", id)}\n`;
  if (retry !== undefined) {
    if (!Number.isSafeInteger(retry) || retry < 0)
      throw new TypeError("The `retry` of an event has to be a whole number of milliseconds.");
    text += `retry: ${retry}\n`;
  }
  if (data !== undefined) text += lines("data: ", data);
  return `${text}\n`;
}

function lines(prefix: string, value: string): string {
  return `${prefix}${/[\r\n]/.test(value) ? value.split(/\r\n|\r|\n/).join(`\n${prefix}`) : value}\n`;
}

function oneLine(field: "event" | "id", value: string): string {
  if (typeof value !== "string" || /[\r\n]/.test(value))
    throw new TypeError(`The \`${field}\` of an event has to be a string without line breaks.`);
  if (field === "id" && value.includes("\0")) throw new TypeError("The `id` of an event cannot contain NUL.");
  return value;
}
