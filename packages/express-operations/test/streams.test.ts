import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { file } from "../src/index.ts";
import { endless, exchange, GET, serveStream, settle } from "./streaming.ts";

const TEXT = { "text/plain": { schema: { type: "string" } } };
let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "streams-"));
  path = join(folder, "abc.txt");
  writeFileSync(path, "abc");
});
afterAll(() => rmSync(folder, { recursive: true }));

const encoded = (text: string) => new TextEncoder().encode(text);
async function* pieces() {
  yield "a";
  yield encoded("b");
  yield "c";
}
function webStream() {
  return new ReadableStream({
    start(controller) {
      for (const piece of ["a", "b", "c"]) controller.enqueue(encoded(piece));
      controller.close();
    },
  });
}

/** Each source with the body `abc`, and the Content-Length that is known in advance. */
const SOURCES: Record<string, { body: () => unknown; length: string | null }> = {
  "a readable of bytes": {
    body: () => Readable.from([Buffer.from("ab"), Buffer.from("c")], { objectMode: false }),
    length: null,
  },
  "a readable of strings": { body: () => Readable.from(["ab", "c"]), length: null },
  "a web stream": { body: webStream, length: null },
  "an async generator": { body: pieces, length: null },
  "an async iterable": { body: () => ({ [Symbol.asyncIterator]: pieces }), length: null },
  "a blob": { body: () => new Blob(["ab", "c"]), length: "3" },
  "a path": { body: () => file(path), length: "3" },
  "a file handle": { body: async () => file(await open(path)), length: "3" },
};

describe.each(Object.entries(SOURCES))("%s", (_title, { body, length }) => {
  const serve = () => serveStream({ content: TEXT, handler: async () => ({ status: 200, body: await body() }) });

  test("is the body of GET", async () => {
    const response = await fetch((await serve()).url);
    expect([response.status, response.headers.get("Content-Length"), await response.text()]).toEqual([
      200,
      length,
      "abc",
    ]);
    expect(response.headers.get("Content-Type")).toBe("text/plain");
  });

  test("is not sent to HEAD, whose headers are those of GET", async () => {
    const { url } = await serve();
    const [get, head] = await Promise.all([fetch(url), fetch(url, { method: "HEAD" })]);
    const names = (response: Response) =>
      [...response.headers].filter(([name]) => !/date|transfer-encoding|connection|keep-alive/.test(name));
    expect([head.status, await head.text(), names(head)]).toEqual([200, "", names(get)]);
  });

  test("is not sent with 204, and the connection takes another request", async () => {
    const { open: connectTo } = await serveStream({
      content: TEXT,
      responses: { 204: { description: "", content: TEXT } },
      handler: async () => ({ status: 204, body: await body() }),
    });
    const socket = await connectTo(GET.replace("Connection: close\r\n", ""));
    const [first] = (await once(socket.resume(), "data")) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1.1 204 [^]*\r\n\r\n$/);
    socket.write(GET);
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 204 /);
  });
});

describe("a body that is not sent", () => {
  const started: string[] = [];
  async function* recording() {
    started.push("started");
    yield "a";
  }

  test.each(["HEAD", "GET"])("is not started for a %s without content", async (method) => {
    const { iterator, state } = endless(() => "a");
    const server = await serveStream({
      content: TEXT,
      responses: { 204: { description: "", content: TEXT } },
      handler: () => ({ status: method === "HEAD" ? 200 : 204, body: iterator }),
    });
    await fetch(server.url, { method });
    await state.ended;
    expect(state).toMatchObject({ produced: 0, returned: 1 });
  });

  test("does not run its generator for HEAD", async () => {
    const server = await serveStream({ content: TEXT, handler: () => ({ status: 200, body: recording() }) });
    await fetch(server.url, { method: "HEAD" });
    expect(started).toEqual([]);
  });

  test.each([
    ["an undeclared status", { status: 418 }],
    ["an undeclared media type", { status: 200, contentType: "text/html" }],
    ["an invalid header", { status: 200, headers: { Note: "a\nb" } }],
  ])("is freed if the response has %s", async (_title, response) => {
    const stream = new PassThrough();
    const { url, errors } = await serveStream({
      content: TEXT,
      headers: { Note: {} },
      handler: () => ({ ...response, body: stream }),
    });
    expect((await fetch(url)).status).toBe(500);
    expect([stream.destroyed, errors.length]).toEqual([true, 1]);
  });

  test("does not end the process if it fails then", async () => {
    const server = await serveStream({
      content: TEXT,
      handler: () => ({ status: 200, body: createReadStream(join(folder, "none")) }),
    });
    const failures: unknown[] = [];
    const record = (error: unknown): number => failures.push(error);
    process.once("uncaughtExceptionMonitor", record);
    expect((await fetch(server.url, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(server.url)).status).toBe(500);
    process.off("uncaughtExceptionMonitor", record);
    expect(failures).toEqual([]);
  });

  test("is closed for HEAD if it is a file handle", async () => {
    const handle = await open(path);
    const { url } = await serveStream({
      content: TEXT,
      handler: async () => ({ status: 200, body: await file(handle) }),
    });
    expect((await fetch(url, { method: "HEAD" })).headers.get("Content-Length")).toBe("3");
    await expect.poll(() => handle.fd).toBe(-1);
  });
});

describe("back-pressure", () => {
  const CHUNK = 64 * 1024;

  test.each(["chunks", "items"])("a client that reads nothing holds the producer of %s back", async (kind) => {
    const { iterator, state } = endless(() => "x".repeat(CHUNK));
    const content = kind === "chunks" ? TEXT : { "application/jsonl": { schema: { type: "string" } } };
    const server = await serveStream({ content, handler: () => ({ status: 200, body: iterator }) });
    const socket = await server.open(GET);
    const settled = await settle(() => state.produced);
    expect(settled * CHUNK).toBeLessThan(16 * 2 ** 20); // the buffers of the system
    await turn();
    expect(state.produced).toBe(settled);
    let read = 0;
    socket.on("data", (data: Buffer) => (read += data.length)).resume();
    await expect.poll(() => state.produced).toBeGreaterThan(settled * 2);
    socket.destroy();
    await state.ended;
    expect(state.produced * CHUNK - read).toBeLessThan(16 * 2 ** 20);
    expect(state.returned).toBe(1);
  });

  test("a middleware that compresses is waited for, as its own buffer asks", async () => {
    const { iterator, state } = endless(() => randomBytes(CHUNK));
    const server = await serveStream({
      content: TEXT,
      handler: () => ({ status: 200, body: iterator }),
      before: (_request, response, next) => {
        const write = response.write.bind(response);
        const on = response.on.bind(response);
        const gzip = createGzip().on("data", (chunk: Buffer) => void (write(chunk) || gzip.pause()));
        gzip.on("end", response.end.bind(response));
        on("drain", () => void gzip.resume());
        const onDrain = (type: string, listener: () => void) => {
          if (type !== "drain") return on(type, listener);
          gzip.on(type, listener);
          return response;
        };
        Object.assign(response, { write: gzip.write.bind(gzip), end: gzip.end.bind(gzip), on: onDrain });
        next();
      },
    });
    const socket = await server.open(GET);
    const settled = await settle(() => state.produced);
    expect(settled * CHUNK).toBeLessThan(16 * 2 ** 20);
    socket.on("data", () => {}).resume();
    await expect.poll(() => state.produced).toBeGreaterThan(settled * 2);
    socket.destroy();
    await state.ended;
  });

  test("a web stream is pulled only as fast as the client reads", async () => {
    let pulled = 0;
    const cancelled = Promise.withResolvers<void>();
    const body = new ReadableStream(
      {
        pull: (controller) => (pulled++, controller.enqueue(new Uint8Array(CHUNK))),
        cancel: () => cancelled.resolve(),
      },
      { highWaterMark: 0 },
    );
    const server = await serveStream({ content: TEXT, handler: () => ({ status: 200, body }) });
    const socket = await server.open(GET);
    expect((await settle(() => pulled)) * CHUNK).toBeLessThan(16 * 2 ** 20);
    socket.destroy();
    await cancelled.promise;
  });
});

describe("a client that goes", () => {
  test("before the first chunk stops the producer at its next one, and aborts the signal", async () => {
    const next = Promise.withResolvers<void>();
    const signal = Promise.withResolvers<AbortSignal>();
    const ended = Promise.withResolvers<AbortSignal>();
    let produced = 0;
    const server = await serveStream({
      content: TEXT,
      handler: (input) => ({
        status: 200,
        body: (async function* () {
          try {
            signal.resolve(input.signal);
            await next.promise;
            for (;;) {
              produced++;
              yield "a";
            }
          } finally {
            ended.resolve(input.signal);
          }
        })(),
      }),
    });
    const socket = await server.open(GET);
    await signal.promise;
    socket.destroy();
    await once(await signal.promise, "abort");
    next.resolve();
    const { reason } = await ended.promise;
    expect([produced, (reason as Error).name]).toEqual([1, "AbortError"]);
    expect(server.errors).toEqual([]);
  });

  test("while the handler waits by its signal ends the handler, and is no error", async () => {
    const waiting = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const server = await serveStream({
      content: TEXT,
      handler: ({ signal }) => ({
        status: 200,
        body: (async function* () {
          try {
            yield "a";
            waiting.resolve();
            await new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason as Error));
            });
          } finally {
            ended.resolve();
          }
        })(),
      }),
    });
    const socket = await server.open(GET);
    await waiting.promise;
    socket.destroy();
    await ended.promise;
    await turns();
    expect(server.errors).toEqual([]);
  });

  test("before the handler has returned leaves the body unread and freed", async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const answer = Promise.withResolvers<void>();
    const { iterator, state } = endless(() => "a");
    const server = await serveStream({
      content: TEXT,
      handler: async ({ signal }) => {
        called.resolve(signal);
        await answer.promise;
        return { status: 200, body: iterator };
      },
    });
    const socket = await server.open(GET);
    const signal = await called.promise;
    socket.destroy();
    await once(signal, "abort");
    answer.resolve();
    await state.ended;
    expect(state).toMatchObject({ produced: 0, returned: 1 });
  });

  test("destroys a readable that sends nothing more", async () => {
    const body = new PassThrough();
    body.write("a");
    const server = await serveStream({ content: TEXT, handler: () => ({ status: 200, body }) });
    const socket = await server.open(GET);
    await once(socket.resume(), "data");
    socket.destroy();
    await once(body, "close");
    await turns();
    expect(server.errors).toEqual([]);
  });

  test("closes the file", async () => {
    const large = join(folder, "large");
    writeFileSync(large, Buffer.alloc(32 * 2 ** 20));
    const handle = await open(large);
    const server = await serveStream({
      content: TEXT,
      handler: async () => ({ status: 200, body: await file(handle) }),
    });
    const socket = await server.open(GET);
    await once(socket, "readable");
    socket.destroy();
    await expect.poll(() => handle.fd).toBe(-1);
    expect(server.errors).toEqual([]);
  });

  test("after the end of the response does not abort the signal", async () => {
    const signals: AbortSignal[] = [];
    const server = await serveStream({
      content: TEXT,
      handler: ({ signal }) => (signals.push(signal), { status: 200, body: pieces() }),
    });
    await exchange(server, GET);
    expect(signals[0]!.aborted).toBe(false);
  });
});

describe("an error", () => {
  test("before the first chunk is a 500 of its own", async () => {
    // oxlint-disable-next-line require-yield -- the generator fails first
    async function* failing(): AsyncGenerator<string> {
      throw new Error("early");
    }
    const { url } = await serveStream({ content: TEXT, handler: () => ({ status: 200, body: failing() }) });
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([500, { fault: "early" }]);
  });

  test.each<[string, () => unknown]>([
    [
      "of a generator",
      async function* () {
        yield "abc";
        throw new Error("late");
      },
    ],
    ["of a readable", () => failingReadable()],
    [
      "of a chunk that is no text",
      async function* () {
        yield "abc";
        yield 1;
      },
    ],
  ])("%s after the head breaks the response off, and reaches the error handling once", async (_title, body) => {
    const server = await serveStream({ content: TEXT, handler: () => ({ status: 200, body: body() }) });
    const sent = await exchange(server, GET);
    expect(sent).toMatch(/^HTTP\/1.1 200 [^]*\r\n\r\n3\r\nabc\r\n$/); // the last chunk is missing
    expect(server.errors).toHaveLength(1);
    await expect(fetch(server.url).then((response) => response.text())).rejects.toThrow("terminated");
  });

  test("of a stream that fails before it is read is a 500", async () => {
    const failed = () => new Readable({ read() {} }).destroy(new Error("closed"));
    const server = await serveStream({ content: TEXT, handler: () => ({ status: 200, body: failed() }) });
    for (let request = 0; request < 2; request++)
      expect(await (await fetch(server.url)).json()).toEqual({ fault: "closed" });
  });

  test("after the head resets the connection of HTTP/1.0, which has no other sign", async () => {
    async function* failing() {
      yield "abc";
      throw new Error("late");
    }
    const server = await serveStream({ content: TEXT, handler: () => ({ status: 200, body: failing() }) });
    const socket = await server.open("GET /x HTTP/1.0\r\n\r\n");
    const [error] = (await once(socket.resume(), "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNRESET");
  });

  test("calls the producer's return once if the chunk cannot be sent", async () => {
    const { iterator, state } = endless((index) => (index === 1 ? null : "a"));
    const server = await serveStream({ content: TEXT, handler: () => ({ status: 200, body: iterator }) });
    await exchange(server, GET);
    expect(state.returned).toBe(1);
  });
});

test("HTTP/1.0 gets the body without chunks, up to the end of the connection", async () => {
  const server = await serveStream({ content: TEXT, handler: () => ({ status: 200, body: pieces() }) });
  const sent = await exchange(server, "GET /x HTTP/1.0\r\n\r\n");
  expect(sent).toMatch(/^HTTP\/1.1 200 [^]*Connection: close\r\n\r\nabc$/i);
  expect(sent).not.toContain("Transfer-Encoding");
});

test.each([
  ["shorter", "ab", "The body ended after 2 bytes of its Content-Length of 3."],
  ["longer", "abcd", "The body is longer than its Content-Length of 3 bytes."],
])("a body %s than the Content-Length of the handler ends the connection", async (_title, body, fault) => {
  const server = await serveStream({
    content: TEXT,
    headers: { "Content-Length": {} },
    handler: () => ({ status: 200, headers: { "Content-Length": 3 }, body: Readable.from(["", body]) }),
  });
  await exchange(server, GET);
  expect(server.errors.map(({ message }) => message)).toEqual([fault]);
});

test("the head of a quiet stream goes out after `headersAfter`", async () => {
  const ready = Promise.withResolvers<void>();
  const server = await serveStream({
    content: TEXT,
    options: { streams: { headersAfter: 20 } },
    handler: () => ({
      status: 200,
      body: (async function* () {
        await ready.promise;
        yield "a";
      })(),
    }),
  });
  const response = await fetch(server.url); // resolves with the head
  ready.resolve();
  expect(await response.text()).toBe("a");
});

test("an invalid time is an error at the start", async () => {
  const start = serveStream({ content: TEXT, options: { streams: { keepAlive: Infinity } }, handler: () => ({}) });
  await expect(start).rejects.toThrow("The option streams.keepAlive is Infinity.");
});

test("JSON may be a stream of bytes", async () => {
  const server = await serveStream({
    content: { "application/json": { schema: { type: "array" } } },
    options: { checkResponses: "always", onViolation: (violation: object) => expect.fail(JSON.stringify(violation)) },
    handler: () => ({ status: 200, body: Readable.from(["[1,", "2]"]) }),
  });
  expect(await (await fetch(server.url)).json()).toEqual([1, 2]);
});

/** Sends `abc` and fails once it has been read. */
function failingReadable(): Readable {
  let reads = 0;
  return new Readable({
    read() {
      if (reads++ === 0) this.push("abc");
      else setImmediate(() => this.destroy(new Error("late")));
    },
  });
}

/** Waits until late errors have been reported. */
async function turns(): Promise<void> {
  for (let count = 0; count < 10; count++) await turn();
}
