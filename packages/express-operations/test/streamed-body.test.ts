import { getEventListeners, once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { implement, Problem } from "../src/index.ts";
import { anyJson } from "./echo.ts";
import { post, serveUpload, type UploadInput, type UploadServer } from "./uploads.ts";

const MiB = 1024 ** 2;
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const head = (headers: string, target = "/upload") => `POST ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;
const bytes = (length: number, more = "") =>
  head(`Content-Type: application/octet-stream\r\nContent-Length: ${length}${more}`);
const CHUNKED = head("Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked");
const PING = "GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const BROKEN_OFF = "The request body did not arrive as announced.";

async function size({ body }: UploadInput) {
  let count = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) count += chunk.length;
  return { status: 200, body: count };
}

/** Returns the text that a connection receives until it matches. */
async function received(socket: Socket, expected: RegExp): Promise<string> {
  let answer = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
    if (expected.test((answer += chunk.toString()))) break;
  return answer;
}

/**
 * Writes zeros until the connection takes no more for so many milliseconds, or has taken the total. Returns their
 * number.
 */
async function writeAll(socket: Socket, total = Infinity, patience = 300): Promise<number> {
  const chunk = Buffer.alloc(65_536);
  let written = 0;
  while (written < total && !socket.destroyed) {
    written += chunk.length;
    if (socket.write(chunk)) continue;
    const drained = once(socket, "drain", { signal: AbortSignal.timeout(patience) });
    const isDrained = await drained.then(
      () => true,
      () => false,
    );
    if (!isDrained) break;
  }
  return written;
}

/** A promise and the function that resolves it. */
const signal = <Value = void>() => Promise.withResolvers<Value>();

async function connections({ server }: UploadServer): Promise<number> {
  return new Promise((done) => server.getConnections((_error, count) => done(count)));
}

describe("the bytes of a body", () => {
  test("arrive in the handler as a stream, JSON too", async () => {
    const server = await serveUpload(async ({ body, contentType }) => ({
      status: 200,
      body: [contentType, await text(body)],
    }));
    expect(await post(server, "abc", "application/octet-stream")).toEqual({
      status: 200,
      json: ["application/octet-stream", "abc"],
    });
    expect((await post(server, "{not json", "application/json")).json).toEqual(["application/json", "{not json"]);
  });

  test("reach the handler before the client has sent the rest", async () => {
    const first = signal<string>();
    const server = await serveUpload(async ({ body }) => {
      let all = "";
      for await (const chunk of body as AsyncIterable<Buffer>) first.resolve((all += chunk.toString()));
      return { status: 200, body: all };
    });
    const socket = server.open(`${bytes(6)}abc`);
    expect(await first.promise).toBe("abc");
    socket.write("def");
    expect(await received(socket, /"abcdef"$/)).toMatch(/^HTTP\/1.1 200 /);
  });

  test("are empty for an empty chunked body", async () => {
    const server = await serveUpload(size);
    const socket = server.open(`${CHUNKED}0\r\n\r\n`);
    expect(await received(socket, /\r\n\r\n0$/)).toMatch(/^HTTP\/1.1 200 /);
  });

  test("that have arrived completely are read", async () => {
    const server = await serveUpload(async (input) => {
      await new Promise(setImmediate);
      return size(input);
    });
    expect(await post(server, new Uint8Array(60_000), "application/octet-stream")).toEqual({
      status: 200,
      json: 60_000,
    });
  });

  test("are not read from the connection while the handler does not read", async () => {
    const [begun, goOn] = [signal(), signal()];
    const server = await serveUpload(
      async (input) => {
        await once(input.body, "readable");
        begun.resolve();
        await goOn.promise;
        return size(input);
      },
      { limits: { bodyLimit: 64 * MiB } },
    );
    const socket = server.open(bytes(64 * MiB));
    const before = process.memoryUsage();
    const written = await writeAll(socket, 64 * MiB);
    await begun.promise;
    expect(written).toBeLessThan(32 * MiB); // the kernel buffers the rest
    const { arrayBuffers } = process.memoryUsage();
    expect(arrayBuffers - before.arrayBuffers).toBeLessThan(2 * MiB);
    goOn.resolve();
    await writeAll(socket, 64 * MiB - written, 60_000);
    expect(await received(socket, /\r\n\r\n67108864$/)).toMatch(/^HTTP\/1.1 200 /);
  });

  test("are limited by bodyLimit, 65,536 by default: 413 before the handler runs if the length is known", async () => {
    let calls = 0;
    const server = await serveUpload((input) => (calls++, size(input)));
    const message = "The request body is too large. At most 65536 bytes are allowed.";
    expect(await post(server, new Uint8Array(65_537), "application/octet-stream")).toEqual({
      status: 413,
      json: { code: "payload_too_large", message, status: 413 },
    });
    expect(calls).toBe(0);
    expect((await post(server, new Uint8Array(65_536), "application/octet-stream")).status).toBe(200);
  });

  test("beyond the limit fail the stream with a 413, and close the connection without reading the rest", async () => {
    const server = await serveUpload(size, { limits: { bodyLimit: 100 } });
    const socket = server.open(`${CHUNKED}65\r\n${"x".repeat(101)}\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer).toContain("At most 100 bytes are allowed.");
  });

  test("beyond the limit may be answered by the handler", async () => {
    const server = await serveUpload(
      async (input) => size(input).catch((error: unknown) => ({ status: 200, body: (error as Problem).code })),
      { limits: { bodyLimit: 100 } },
    );
    const socket = server.open(`${CHUNKED}65\r\n${"x".repeat(101)}\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 [^]*"payload_too_large"$/);
  });

  test.each([
    ["the error itself", (error: unknown) => error, 413],
    [
      "an error with this cause",
      (error: unknown) => new Error("no", { cause: new Error("no", { cause: error }) }),
      413,
    ],
    ["another error", () => new Error("a fault of the handler"), 500],
  ])("beyond the limit lead to 413 if the handler rejects with %s: %3$d", async (_title, errorFor, status) => {
    const server = await serveUpload(
      async (input) => {
        try {
          return await size(input);
        } catch (error) {
          throw errorFor(error);
        }
      },
      { limits: { bodyLimit: 100 } },
    );
    const socket = server.open(`${CHUNKED}65\r\n${"x".repeat(101)}\r\n`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(server.errors).toHaveLength(status === 500 ? 1 : 0);
  });

  test.each([
    ["parameters", "?n=x", "application/octet-stream", 400],
    ["the media type", "?n=1", "text/plain", 415],
    ["Accept", "?n=1", "application/octet-stream\r\nAccept: text/css", 406],
  ])("are not read if %s are rejected", async (_title, query, contentType, status) => {
    let calls = 0;
    const n = { name: "n", in: "query", schema: { type: "integer" } };
    const server = await serveUpload(() => (calls++, { status: 200 }), { parameters: [n] });
    const headers = `Content-Type: ${contentType}\r\nContent-Length: 3\r\nConnection: close`;
    const socket = server.open(`${head(headers, `/upload${query}`)}abc`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(calls).toBe(0);
  });
});

describe("100 (Continue)", () => {
  test("is sent when the handler starts to read", async () => {
    const [called, goOn] = [signal(), signal()];
    const server = await serveUpload(async (input) => {
      called.resolve();
      await goOn.promise;
      return size(input);
    });
    const socket = server.open(bytes(3, "\r\nExpect: 100-continue\r\nConnection: close"));
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer === "HTTP/1.1 100 Continue\r\n\r\n") socket.write("abc");
    });
    await called.promise;
    await new Promise(setImmediate);
    expect(answer).toBe("");
    goOn.resolve();
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 [^]*\r\n\r\n3$/);
  });

  test("is not sent if the handler does not read, and the connection is closed", async () => {
    const server = await serveUpload(() => ({ status: 200, body: "no" }));
    const answer = await text(server.open(bytes(3, "\r\nExpect: 100-continue")));
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  });
});

describe("a client that breaks off", () => {
  /** Serves a handler that reads its body, and returns the error that it gets. */
  async function reading(read: (body: Readable) => Promise<unknown> = (body) => buffer(body)) {
    const [begun, failed] = [signal<Readable>(), signal<unknown>()];
    const server = await serveUpload(async ({ body }) => {
      begun.resolve(body);
      try {
        return { status: 200, body: await read(body) };
      } catch (error) {
        failed.resolve(error);
        throw error;
      }
    });
    return { server, begun: begun.promise, failed: failed.promise };
  }

  test.each([
    ["before the first byte", bytes(100)],
    ["within a body of known length", `${bytes(100)}abc`],
    ["within a chunk", `${CHUNKED}5\r\nabc`],
    ["between chunks", `${CHUNKED}3\r\nabc\r\n`],
  ])("%s fails the stream, and is no error of the server", async (_title, sent) => {
    const { server, begun, failed } = await reading();
    const socket = server.open(sent);
    const body = await begun;
    if (sent.endsWith("abc") || sent.endsWith("abc\r\n")) await once(body, "data");
    socket.destroy();
    expect(await failed).toMatchObject({ status: 400, message: BROKEN_OFF });
    await expect.poll(() => connections(server)).toBe(0);
    expect(server.errors).toEqual([]);
  });

  test("while the handler does not read fails the stream at its next read", async () => {
    const goOn = signal();
    const { server, begun, failed } = await reading(async (body) => {
      await goOn.promise;
      return buffer(body);
    });
    const socket = server.open(`${bytes(100)}abc`);
    await begun;
    socket.destroy();
    await expect.poll(() => connections(server)).toBe(0);
    goOn.resolve();
    expect(await failed).toMatchObject({ status: 400, message: BROKEN_OFF });
    expect(server.errors).toEqual([]);
  });

  test("does not report what the handler rejects with", async () => {
    const { server, begun } = await reading((body) =>
      buffer(body).catch(() => {
        throw new TypeError("The image ends too early.");
      }),
    );
    const socket = server.open(`${bytes(100)}abc`);
    await once(await begun, "data");
    socket.destroy();
    await expect.poll(() => connections(server)).toBe(0);
    await new Promise(setImmediate);
    expect(server.errors).toEqual([]);
  });

  test("before the handler is called fails the stream", async () => {
    const failed = signal<unknown>();
    const server = await serveUpload(
      ({ body }) => buffer(body).catch((error: unknown) => (failed.resolve(error), Promise.reject(error as Error))),
      { before: [(request, _response, next) => void request.once("close", () => setImmediate(() => next()))] },
    );
    const socket = server.open(`${bytes(100)}abc`);
    await once(server.server, "request");
    socket.destroy();
    expect(await failed.promise).toMatchObject({ status: 400, message: BROKEN_OFF });
    expect(server.errors).toEqual([]);
  });

  test("leaves no listener on the connection, the request or the response", async () => {
    let streams: [EventTarget | NodeJS.EventEmitter, string][] = [];
    const counts = () => streams.map(([emitter, name]) => getEventListeners(emitter as never, name).length);
    const begun = signal<Readable>();
    const server = await serveUpload(async ({ body }) => {
      begun.resolve(body);
      return { status: 200, body: (await buffer(body)).length };
    });
    let before: number[] = [];
    server.server.prependListener("request", (request, response) => {
      const names = ["data", "end", "error", "close"];
      streams = [...names.map((name) => [request, name] as never), [response, "close"], [request.socket, "close"]];
      before = counts();
    });
    const socket = server.open(`${bytes(100)}abc`);
    await once(await begun.promise, "data");
    expect(counts()).not.toEqual(before);
    socket.destroy();
    await expect.poll(() => connections(server)).toBe(0);
    expect((await begun.promise).destroyed).toBe(true);
    expect(counts()).toEqual(before);
  });
});

describe("a body that is not read to its end", () => {
  const handlers: [string, (input: UploadInput) => unknown, number][] = [
    ["never reads", () => ({ status: 200, body: "done" }), 200],
    [
      "reads a part",
      async ({ body }) => {
        for await (const _chunk of body) break;
        return { status: 200, body: "done" };
      },
      200,
    ],
    [
      "leaves the stream open after a part",
      async ({ body }) => {
        await once(body, "readable");
        body.read(1);
        return { status: 200, body: "done" };
      },
      200,
    ],
    [
      "throws",
      () => {
        throw new Error("broken");
      },
      500,
    ],
    ["rejects with a problem", () => Promise.reject(new Problem(409, "busy", "Busy.")), 409],
  ];

  test.each(handlers)(
    "is dropped if it is small, and the next request is served: %s",
    async (_title, handler, status) => {
      const server = await serveUpload(handler);
      const socket = server.open(`${bytes(60_000)}${"x".repeat(30_000)}`);
      const first = await received(socket, /}$|"done"$/);
      expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(first).not.toMatch(/Connection: close/i);
      socket.write(`${"x".repeat(30_000)}${PING}`);
      expect(await text(socket)).toMatch(/^HTTP\/1.1 200 [^]*"pong"$/);
    },
  );

  test.each(handlers)(
    "closes the connection if it is large, after the response: %s",
    async (_title, handler, status) => {
      const server = await serveUpload(handler, { limits: { bodyLimit: Infinity } });
      const socket = server.open(bytes(2 ** 40));
      const answer = text(socket);
      const before = process.memoryUsage().arrayBuffers;
      const start = performance.now();
      await writeAll(socket);
      const took = performance.now() - start;
      expect(await answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\nConnection: close\r\n`, "i"));
      expect(took).toBeLessThan(10_000);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MiB);
      await expect.poll(() => connections(server)).toBe(0);
    },
  );

  test.each(handlers.slice(0, 2))("is dropped for a client that reads only afterwards: %s", async (_title, handler) => {
    const server = await serveUpload(handler, { limits: { bodyLimit: Infinity } });
    const socket = server.open(bytes(8 * MiB));
    expect(await writeAll(socket, 8 * MiB, 60_000)).toBe(8 * MiB);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 [^]*"done"$/);
    await expect.poll(() => connections(server)).toBe(0);
  });

  test("is dropped for two seconds only, if the client goes on sending", async () => {
    const server = await serveUpload(() => ({ status: 200, body: "done" }), { limits: { bodyLimit: Infinity } });
    const { port } = new URL(server.baseUrl);
    const socket = connect({ port: Number(port), allowHalfOpen: true }).on("error", () => {});
    const start = performance.now();
    socket.write(bytes(2 ** 40));
    const sending = setInterval(() => socket.write("x".repeat(1_000)), 20);
    await new Promise((closed) => socket.once("close", closed));
    clearInterval(sending);
    expect(performance.now() - start).toBeGreaterThan(1_900);
    expect(await connections(server)).toBe(0);
  });

  test("is not read on while the handler works after it has left the stream", async () => {
    const [left, goOn] = [signal(), signal()];
    const server = await serveUpload(
      async ({ body }) => {
        for await (const _chunk of body) break;
        left.resolve();
        await goOn.promise;
        return { status: 200, body: "done" };
      },
      { limits: { bodyLimit: Infinity } },
    );
    const socket = server.open(`${bytes(2 ** 40)}x`);
    await left.promise;
    expect(await writeAll(socket, 64 * MiB)).toBeLessThan(32 * MiB);
    goOn.resolve();
    expect(await received(socket, /"done"$/)).toMatch(/^HTTP\/1.1 200 /);
  });

  test("a request behind it on the connection is not read as its body, or the body as a request", async () => {
    const server = await serveUpload(() => ({ status: 200, body: "done" }));
    const smuggled = PING.repeat(2);
    const socket = server.open(`${bytes(smuggled.length)}${smuggled}${PING}`);
    const answer = await text(socket);
    expect(answer.match(/HTTP\/1.1 200/g)).toHaveLength(2);
    expect(answer.match(/"pong"/g)).toHaveLength(1);
  });

  test("ends with the response: a later read fails with a clear error", async () => {
    let late: Readable | undefined;
    const server = await serveUpload(({ body }) => ((late = body), { status: 200, body: "done" }));
    await post(server, "abc", "application/octet-stream");
    await expect.poll(() => late?.destroyed).toBe(true);
    await expect(buffer(late!)).rejects.toThrow("The response was sent before the request body was read.");
  });
});

test("hundreds of uploads that are broken off or not read leave no memory", async () => {
  const server = await serveUpload(
    async ({ body }) => {
      for await (const _chunk of body) if (Math.random() < 0.5) break;
      return { status: 200, body: "done" };
    },
    { limits: { bodyLimit: Infinity } },
  );
  const round = async () => {
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const socket = server.open(`${bytes(2 ** 30)}${"x".repeat(50_000)}`);
        await once(socket, "connect");
        await Promise.race([once(socket, "data"), new Promise((done) => setTimeout(done, 50))]);
        socket.destroy();
      }),
    );
    await expect.poll(() => connections(server)).toBe(0);
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  await round();
  const before = await round();
  for (let count = 0; count < 4; count++) await round();
  expect((await round()) - before).toBeLessThan(8 * MiB);
});

test("an operation without a request body cannot have a streamed body", () => {
  const document = { openapi: "3.1.0", paths: { "/x": { get: { operationId: "x", responses: anyJson } } } };
  const handlers = { x: { handler: () => ({ status: 200 }), streamsBody: true } };
  expect(() => implement()({ document, handlers: handlers as never })).toThrow(
    'The handler of "x" cannot have a streamed body: the operation has no request body. Remove `streamsBody`.',
  );
});
