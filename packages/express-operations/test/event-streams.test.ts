import { getEventListeners, once } from "node:events";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { describe, expect, test } from "vitest";
import { event, textEvent, type Violation } from "../src/index.ts";
import { endless, exchange, GET, serveStream, settle, type StreamInput, type StreamOperation } from "./streaming.ts";

const TOKEN = { type: "object", required: ["text"], properties: { text: { type: "string" } } };
/** An event by all its fields, with JSON as its data. */
const EVENT = {
  type: "object",
  required: ["data"],
  properties: {
    event: { type: "string" },
    id: { type: "string" },
    retry: { type: "integer" },
    data: { type: "string", contentMediaType: "application/json", contentSchema: TOKEN },
  },
};

const stream = (declared: object) => ({ "text/event-stream": declared });
const ofItems = (...items: unknown[]) =>
  async function* (): AsyncGenerator {
    yield* items;
  };

function serveEvents(declared: object, items: () => unknown, more: Partial<StreamOperation> = {}) {
  return serveStream({ content: stream(declared), handler: () => ({ status: 200, body: items() }), ...more });
}

/** Reads events with a parser of another project. */
async function eventsOf(response: Response) {
  const events: EventSourceMessage[] = [];
  const retries: number[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: (message) => void events.push(message),
    onRetry: (retry) => void retries.push(retry),
    onComment: (comment) => void comments.push(comment),
    onError: (error) => expect.fail(error.message),
  });
  parser.feed(await response.text());
  return { events, retries, comments };
}

describe("an event", () => {
  test.each<[string, object, unknown, object[]]>([
    [
      "is the JSON of its data, by a schema of the data",
      { schema: TOKEN },
      { text: "a\nb" },
      [{ data: '{"text":"a\\nb"}' }],
    ],
    [
      "has further fields by `event`",
      { schema: TOKEN },
      event({ id: "7", event: "token", data: { text: "a" } }),
      [{ id: "7", event: "token", data: '{"text":"a"}' }],
    ],
    ["may be text outside the schema by `textEvent`", { schema: TOKEN }, textEvent("[DONE]"), [{ data: "[DONE]" }]],
    ["has text over several lines", { schema: TOKEN }, textEvent("a\nb\r\nc\rd\n"), [{ data: "a\nb\nc\nd\n" }]],
    ["is empty text", { schema: TOKEN }, textEvent(""), [{ data: "" }]],
    ["keeps a space at the start of its text", { schema: TOKEN }, textEvent(" a"), [{ data: " a" }]],
    [
      "has the fields of its schema, and JSON by `contentSchema`",
      { schema: EVENT },
      { id: "7", event: "token", data: { text: "a" } },
      [{ id: "7", event: "token", data: '{"text":"a"}' }],
    ],
    ["is described by `itemSchema`", { itemSchema: EVENT }, { data: { text: "a" } }, [{ data: '{"text":"a"}' }]],
    [
      "has text as it is if its schema says string",
      { itemSchema: { type: "object", properties: { data: { type: "string" } } } },
      { data: "a\nb" },
      [{ data: "a\nb" }],
    ],
    [
      "has a JSON string if its content is JSON",
      {
        itemSchema: {
          type: "object",
          properties: {
            data: { type: "string", contentMediaType: "application/json", contentSchema: { type: "string" } },
          },
        },
      },
      { data: "a" },
      [{ data: '"a"' }],
    ],
    [
      "has JSON if the schema of its data is an object",
      { itemSchema: { type: "object", properties: { data: TOKEN } } },
      { data: { text: "a" } },
      [{ data: '{"text":"a"}' }],
    ],
    ["loses undeclared fields of its data", { schema: TOKEN }, { text: "a", cost: 3 }, [{ data: '{"text":"a"}' }]],
    [
      "loses undeclared fields of its JSON",
      { itemSchema: EVENT },
      { data: { text: "a", cost: 3 } },
      [{ data: '{"text":"a"}' }],
    ],
    [
      "is what the `toJSON` of its data returns, without undeclared fields",
      { schema: TOKEN },
      { toJSON: () => ({ text: "a", cost: 3 }) },
      [{ data: '{"text":"a"}' }],
    ],
    [
      "has the text of a date",
      { itemSchema: { type: "object", properties: { data: { type: "string", format: "date-time" } } } },
      { data: new Date(0) },
      [{ data: "1970-01-01T00:00:00.000Z" }],
    ],
  ])("%s", async (_title, declared, item, expected) => {
    const server = await serveEvents(declared, ofItems(item), {
      options: { checkResponses: "always", onViolation: (violation: Violation) => expect.fail(violation.pointer) },
    });
    const response = await fetch(server.url);
    expect(server.errors).toEqual([]);
    expect((await eventsOf(response)).events).toEqual(
      expected.map((one) => ({ id: undefined, event: undefined, ...one })),
    );
  });

  test("has retry and comments", async () => {
    const items = ofItems(event({ comment: "a\nb", retry: 20, data: { text: "a" } }), event({ comment: "c" }));
    const { events, retries, comments } = await eventsOf(
      await fetch((await serveEvents({ schema: TOKEN }, items)).url),
    );
    expect([events.length, retries, comments]).toEqual([1, [20], ["a", "b", "c"]]);
  });

  test("described by all its fields may have a comment that its schema does not declare", async () => {
    const itemSchema = { ...EVENT, additionalProperties: false };
    const server = await serveEvents({ itemSchema }, ofItems(event({ comment: "c", data: { text: "a" } })), {
      options: { checkResponses: "always", onViolation: (violation: Violation) => expect.fail(violation.pointer) },
    });
    expect(await (await fetch(server.url)).text()).toBe(': c\ndata: {"text":"a"}\n\n');
  });

  test("by variants has text in one and JSON in the other", async () => {
    const itemSchema = {
      type: "object",
      required: ["event"],
      properties: { event: { type: "string" }, data: { type: "string" } },
      oneOf: [{ properties: { event: { const: "text" } } }, { $ref: "#/components/schemas/Json" }],
    };
    const Json = { properties: { event: { const: "json" }, data: EVENT.properties.data } };
    const violations: Violation[] = [];
    const server = await serveStream({
      content: stream({ itemSchema }),
      components: { schemas: { Json } },
      options: { checkResponses: "always", onViolation: (violation: Violation) => violations.push(violation) },
      handler: () => ({
        status: 200,
        body: ofItems(
          { event: "text", data: "a" },
          { event: "json", data: { text: "b" } },
          { event: "json", data: { text: 1 } },
        )(),
      }),
    });
    const { events } = await eventsOf(await fetch(server.url));
    expect(events.map(({ data }) => data)).toEqual(["a", '{"text":"b"}', '{"text":1}']);
    expect(violations.map(({ pointer }) => pointer)).toContain("/body/2/data/text");
    expect(violations.every(({ pointer }) => pointer.startsWith("/body/2"))).toBe(true);
  });

  test.each([
    ["a line break in its id", event({ id: "a\nb" }), "The `id` of an event has to be a string without line breaks."],
    [
      "a line break in its type",
      event({ event: "a\rb" }),
      "The `event` of an event has to be a string without line breaks.",
    ],
    ["NUL in its id", event({ id: "a\0" }), "The `id` of an event cannot contain NUL."],
    [
      "a retry that is no whole number",
      event({ retry: 1.5 }),
      "The `retry` of an event has to be a whole number of milliseconds.",
    ],
    ["no JSON value", undefined, "An item of a stream has to be a JSON value, not undefined."],
  ])("with %s is an error of the handler", async (_title, item, fault) => {
    const response = await fetch((await serveEvents({ schema: TOKEN }, ofItems(item))).url);
    expect([response.status, await response.json()]).toEqual([500, { fault }]);
  });
});

test.each([
  ["a readable", () => Readable.from(["data: a\n\n"], { objectMode: false })],
  ["a blob", () => new Blob(["data: a\n\n"])],
  ["a string", () => "data: a\n\n"],
  ["bytes", () => Buffer.from("data: a\n\n")],
  ["a web stream", () => ReadableStream.from(["data:", " a\n\n"])],
])("%s is passed through", async (_title, body) => {
  const response = await fetch((await serveEvents({ schema: TOKEN }, body)).url);
  expect([response.headers.get("Content-Type"), await response.text()]).toEqual(["text/event-stream", "data: a\n\n"]);
});

test("objects of a web stream and of a readable are items", async () => {
  for (const body of [() => ReadableStream.from([{ text: "a" }]), () => Readable.from([{ text: "a" }])]) {
    const response = await fetch((await serveEvents({ schema: TOKEN }, body)).url);
    expect(await response.text()).toBe('data: {"text":"a"}\n\n');
  }
});

test("an event stream is not stored by caches or held back by nginx, and has no ETag", async () => {
  const server = await serveEvents({ schema: TOKEN }, ofItems({ text: "a" }), { headers: { ETag: {} } });
  const { headers } = await fetch(server.url);
  const names = ["Cache-Control", "X-Accel-Buffering", "ETag", "Content-Length"];
  expect(names.map((name) => headers.get(name))).toEqual(["no-store", "no", null, null]);
});

test("Last-Event-ID reaches the handler as the client has sent it", async () => {
  const ids: unknown[] = [];
  const server = await serveStream({
    content: stream({ schema: TOKEN }),
    handler: ({ lastEventId }) => (ids.push(lastEventId), { status: 200, body: ofItems()() }),
  });
  await exchange(server, GET);
  await exchange(server, GET.replace("Host: x", "Host: x\r\nLast-Event-ID: 7-é"));
  expect(ids).toEqual([undefined, "7-é"]);
});

describe("a quiet event stream", () => {
  const options = { streams: { keepAlive: 20, headersAfter: 0 } };

  test("gets comments, which clients ignore", async () => {
    const ready = Promise.withResolvers<void>();
    const server = await serveEvents(
      { schema: TOKEN },
      async function* () {
        yield { text: "a" };
        await ready.promise;
        yield { text: "b" };
      },
      { options },
    );
    const socket = await server.open(GET);
    let sent = "";
    socket.on("data", (data: Buffer) => {
      sent += data.toString();
      if (sent.split(":\n\n").length > 3) ready.resolve();
    });
    await once(socket.resume(), "close");
    const { events } = await eventsOf(
      new Response(sent.replace(/^[^]*?\r\n\r\n/, "").replace(/[\da-f]+\r\n([^]*?)\r\n/g, "$1")),
    );
    expect(events.map(({ data }) => data)).toEqual(['{"text":"a"}', '{"text":"b"}']);
  });

  test("of bytes gets none, because a comment could divide an event", async () => {
    const body = new Readable({ read() {} });
    const server = await serveEvents({ schema: TOKEN }, () => body, { options });
    const socket = await server.open(GET);
    let sent = "";
    socket.on("data", (data: Buffer) => (sent += data.toString())).resume();
    body.push("data: a");
    await expect.poll(() => sent).toContain("data: a");
    await new Promise((done) => setTimeout(done, 100)); // five times `keepAlive`
    body.push("b\n\n");
    body.push(null);
    await once(socket, "close");
    expect(sent.replaceAll(/\r\n[\da-f]+\r\n/g, "")).toContain("data: ab\n\n");
  });
});

describe("the option `streams.shutdown`", () => {
  const serveUntil = (shutdown: AbortSignal, handler: (input: StreamInput) => object) =>
    serveStream({ content: stream({ schema: TOKEN }), options: { streams: { shutdown, headersAfter: 0 } }, handler });

  test("ends a quiet event stream in order, and aborts the signal of its handler", async () => {
    const shutdown = new AbortController();
    const waiting = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<unknown>();
    const server = await serveUntil(shutdown.signal, ({ signal }) => ({
      status: 200,
      body: (async function* () {
        yield { text: "a" };
        waiting.resolve();
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject((stopped.resolve(signal.reason), signal.reason) as Error));
        });
      })(),
    }));
    const response = await fetch(server.url);
    await waiting.promise;
    const reason = new Error("The service stops.");
    shutdown.abort(reason);
    expect(await response.text()).toBe('data: {"text":"a"}\n\n');
    expect(await stopped.promise).toBe(reason);
    expect(server.errors).toEqual([]);
  });

  test("ends a busy event stream after the current event", async () => {
    const shutdown = new AbortController();
    let returned = 0;
    const server = await serveUntil(shutdown.signal, () => ({
      status: 200,
      body: (async function* () {
        try {
          yield { text: "a" };
          shutdown.abort();
          yield { text: "b" };
          yield { text: "c" };
        } finally {
          returned++;
        }
      })(),
    }));
    const received = await (await fetch(server.url)).text();
    expect([received.includes('"c"'), returned]).toEqual([false, 1]);
  });

  test("ends an event stream in order after its client has read the written events", async () => {
    const shutdown = new AbortController();
    const { iterator, state } = endless(() => ({ text: "x".repeat(2 ** 16) }));
    const server = await serveUntil(shutdown.signal, () => ({ status: 200, body: iterator }));
    const socket = await server.open(GET);
    const produced = await settle(() => state.produced);
    shutdown.abort();
    expect(await text(socket)).toMatch(/"\}\n\n\r\n0\r\n\r\n$/);
    expect(state).toMatchObject({ produced, returned: 1 });
  });

  test("lets other streams end by themselves", async () => {
    const shutdown = new AbortController();
    const server = await serveStream({
      content: { "application/jsonl": { schema: TOKEN } },
      options: { streams: { shutdown: shutdown.signal } },
      handler: ({ signal }) => ({
        status: 200,
        body: (async function* () {
          yield { text: "a" };
          shutdown.abort();
          yield { text: String(signal.aborted) };
        })(),
      }),
    });
    expect(await (await fetch(server.url)).text()).toBe('{"text":"a"}\n{"text":"false"}\n');
  });

  test("leaves no listener behind", async () => {
    const shutdown = new AbortController();
    const server = await serveUntil(shutdown.signal, () => ({ status: 200, body: ofItems({ text: "a" })() }));
    await exchange(server, GET);
    await expect.poll(() => getEventListeners(shutdown.signal, "abort")).toEqual([]);
  });
});
