import { sendRaw } from "../call/call.ts";
import { CallFailure } from "../call/call-failure.ts";
import type { ResponseExchange } from "../call/exchange.ts";
import { pause } from "../parts/retry.ts";
import { parsed } from "./read-json.ts";
import { TooLargeError, tooLarge } from "../parts/size-limit.ts";
import type { Reader } from "./read-body.ts";
import { failing, textsOf } from "./readers.ts";

/** An event of a stream (https://html.spec.whatwg.org/#server-sent-events). */
export interface ServerSentEvent<Data = unknown> {
  /** The type of the event; `message` without one. */
  event: string;
  data: Data;
  /** The id of the last event that had one. */
  id: string;
}

/** The events of a stream, in order. Leaving the loop ends the request. */
export type EventStream<Data> = AsyncIterableIterator<ServerSentEvent<Data>>;

/** Reads Server-Sent Events with data in JSON. After a broken connection, it resumes with `Last-Event-ID`. */
export const readEvents: Reader = /* @__PURE__ */ readEventsBy((data) => parsed(data));

/** Returns a reader of events with data in JSON. Many services end a stream with the data `[DONE]`, which is no JSON. */
export function readEventsBy(parse: (data: string) => unknown): Reader {
  return (exchange) =>
    failing(untilDone(resumed(exchange, (data) => (data === DONE ? DONE_DATA : parse(data)))), exchange);
}

const DONE = "[DONE]";
const DONE_DATA = Symbol(DONE);

async function* untilDone(events: AsyncIterable<ServerSentEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const event of events) {
    if (event.data === DONE_DATA) return;
    yield event;
  }
}

/** Reads Server-Sent Events with data in text. After a broken connection, it resumes with `Last-Event-ID`. */
export const readTextEvents: Reader = (exchange) =>
  failing(
    resumed(exchange, (data) => data),
    exchange,
  );

interface StreamState {
  lastId: string;
  /** The wait before the stream is resumed, in milliseconds. The service may set it. */
  delay: number;
}

async function* resumed(exchange: ResponseExchange, parse: (data: string) => unknown): AsyncGenerator<ServerSentEvent> {
  const { connection, operation, settings, options, parts } = exchange;
  const { signal } = options;
  let { response } = exchange;
  const state: StreamState = { lastId: "", delay: 1_000 };
  // A service that has no more events responds to a resumption with 204.
  const resumption = { ...operation, success: [...operation.success, 204] };
  for (;;) {
    let hasEvent = false;
    try {
      for await (const event of eventsOf(response, settings.maxResponseBytes, state)) {
        hasEvent = true;
        yield { ...event, data: parse(event.data) };
      }
      return;
    } catch (error) {
      // Only a stream that got on is resumed, so that a broken service is not asked again and again.
      const isBroken = error instanceof Error && !(error instanceof CallFailure || error instanceof TooLargeError);
      if (!isBroken || signal?.aborted || !operation.isRetryable || !hasEvent || state.lastId === "") throw error;
    }
    await pause(state.delay, signal);
    signal?.throwIfAborted();
    const again = { ...options, headers: { ...options.headers, "Last-Event-ID": state.lastId } };
    response = await sendRaw(connection, resumption, parts, again);
    if (response.status === 204) return;
  }
}

/** Parses the events of one response. */
async function* eventsOf(
  response: Response,
  limit: number,
  state: StreamState,
): AsyncGenerator<ServerSentEvent<string>> {
  let data: string[] = [];
  let size = 0;
  let event = "";
  let id = state.lastId;
  let isFirst = true;
  for await (const line of linesOf(response, limit)) {
    const text = isFirst ? line.replace(/^\uFEFF/, "") : line;
    isFirst = false;
    if (text === "") {
      state.lastId = id; // An event that did not arrive completely is sent again.
      if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id: state.lastId };
      [data, size, event] = [[], 0, ""];
      continue;
    }
    const colon = text.indexOf(":");
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "data") {
      data.push(value);
      size += value.length;
      if (size > limit) throw tooLarge(limit, "An event");
    } else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) state.delay = Math.min(Number(value), 60_000);
  }
}

/** Yields the lines of a text, which end with CR, LF or both. */
async function* linesOf(response: Response, limit: number): AsyncGenerator<string> {
  for await (const text of textsOf(response, limit, "\n")) {
    const lines = text.split("\r");
    // CR LF leaves an empty text after the CR, which is no line of its own.
    if (lines.length > 1 && lines.at(-1) === "") lines.pop();
    yield* lines;
  }
}
