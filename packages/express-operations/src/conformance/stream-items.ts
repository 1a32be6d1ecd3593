import {
  type MediaTypeObject,
  type OpenApiDocument,
  essenceOf,
  hasWholeEvents,
  isJsonSequence,
} from "openapi-document";
import { ConformanceError } from "./exchange.ts";

/** The text of a stream, or its start. */
interface StreamText {
  text: string;
  isStart?: boolean;
}

/** An item of a stream: the values of which its schema has to allow one. Text that is not JSON may be a value as well. */
export type ReceivedItem = unknown[];

/**
 * Returns the items of a stream. Throws a `ConformanceError` for a line of an event stream that clients ignore, for an event
 * that is not complete at the end, and for a line that is not JSON. The last item of a start is left out, because it may be
 * incomplete. The data `[DONE]`, which ends the streams of some services, is no item.
 */
export function receivedItems(
  document: OpenApiDocument,
  mediaType: string,
  declared: MediaTypeObject,
  stream: StreamText,
): ReceivedItem[] {
  const essence = essenceOf(mediaType);
  if (essence !== "text/event-stream")
    return textsOf(stream, isJsonSequence(essence)).map((text, at) => {
      const value = parsed(text);
      if (value === undefined) throw new ConformanceError(`expected JSON as item ${at}, got text that is not JSON`);
      return [value, [value]];
    });
  const isWhole = hasWholeEvents(document, declared);
  return eventsOf(stream).flatMap((event) => {
    if (event.data === "[DONE]") return [];
    const values = dataValues(event.data);
    return [isWhole ? values.map((data) => ({ ...event, data })) : values.flatMap((value) => [value, [value]])];
  });
}

/** The data of an event is text, which may be JSON. */
function dataValues(data: string): unknown[] {
  const value = parsed(data);
  return value === undefined ? [data] : [value, data];
}

/** Returns the value of JSON; undefined for other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the lines of a stream, or the texts of a JSON text sequence (RFC 7464, section 2.1). */
function textsOf({ text, isStart = false }: StreamText, isSequence: boolean): string[] {
  const texts = text.split(isSequence ? "\u001e" : "\n");
  if (isSequence && texts.shift()!.trim() !== "")
    throw new ConformanceError("expected a record separator before each JSON text, got other text");
  if (isStart) texts.pop();
  return texts.filter((each) => isSequence || each.trim() !== "");
}

interface ReceivedEvent {
  data: string;
  event?: string;
  id?: string;
  retry?: number;
}

/** Returns the events with data (WHATWG HTML, section 9.2.6). */
function eventsOf({ text, isStart = false }: StreamText): ReceivedEvent[] {
  const lines = text.split(/\r\n|\r|\n/);
  const rest = lines.pop()!;
  const events: ReceivedEvent[] = [];
  let event: Partial<ReceivedEvent> = {};
  for (const line of lines) {
    if (line !== "") addLine(event, line);
    else {
      const { data } = event;
      if (data !== undefined) events.push({ ...event, data });
      event = {};
    }
  }
  if (!isStart && (rest !== "" || event.data !== undefined))
    throw new ConformanceError("expected an empty line after the last event, got the end of the stream");
  return events;
}

function addLine(event: Partial<ReceivedEvent>, line: string): void {
  const colon = line.indexOf(":");
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  const ignored = new ConformanceError(
    `expected lines of data, event, id, retry and comments, got one that clients ignore: ${JSON.stringify(line.slice(0, 40))}`,
  );
  if (name === "data") event.data = event.data === undefined ? value : `${event.data}\n${value}`;
  else if (name === "event") event.event = value;
  else if (name === "id" && !value.includes("\0")) event.id = value;
  else if (name === "retry" && /^\d+$/.test(value)) event.retry = Number(value);
  else if (name !== "") throw ignored;
}
