import { once } from "node:events";
import { networkInterfaces } from "node:os";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import express from "express";
import { type Handlers, implement, type OpenApiDocument } from "express-operations";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Listener, type listen as Listen, listen } from "../src/http/listener.ts";
import { startProgram } from "./things-program.ts";

type App = Parameters<typeof Listen>[0];

/** Fakes the time of the listener. Sockets use real time. */
beforeEach(({ onTestFinished: atEnd }) => {
  atEnd(() => void vi.useRealTimers()); // after the test's own hooks
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
});

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);
const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const HALF = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{";
const UPLOAD =
  "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: 9\r\n\r\nx";

async function start(app: App): Promise<Listener> {
  const listener = await listen(app, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    const closed = listener.close(0);
    vi.advanceTimersByTime(1);
    await closed;
  });
  return listener;
}

/** Opens a connection that reads nothing by itself. */
async function open({ origin }: Listener): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Returns the next piece that arrives. */
async function next(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString("latin1");
}

/** Returns a wrapper of an app, and a promise that resolves when the app has received its first request. */
function beginning(): { app: (answer: App) => App; begun: Promise<void> } {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const app = (answer: App): App =>
    ((request, response) => {
      answer(request, response);
      resolve();
    }) as App;
  return { app, begun };
}

describe("a client that sends a body slowly", () => {
  test("gets a 408 after 15 s", async () => {
    const { app, begun } = beginning();
    const listener = await start(
      app((request, response) => void request.resume().on("end", () => response.end("all"))),
    );
    const socket = await open(listener);
    socket.write(HALF);
    await begun;
    pass(15);
    const answer = text(socket);
    pass(1);
    expect(await answer).toMatch(/^HTTP\/1.1 408 [^]*Connection: close\r\n[^]*"request_timeout"/i);
  });

  test("gets a response if the body arrives within 15 s", async () => {
    const { app, begun } = beginning();
    const listener = await start(
      app((request, response) => void request.resume().on("end", () => response.end("all"))),
    );
    const socket = await open(listener);
    socket.write(HALF);
    await begun;
    pass(15);
    socket.write("}".repeat(8));
    expect(await next(socket)).toMatch(/^HTTP\/1.1 200 [^]*all/);
  });

  test.each([
    ["begins", (response: { flushHeaders: () => void }) => response.flushHeaders()],
    ["ends", (response: { end: () => void }) => response.end()],
  ])(
    "is disconnected after 15 s, not earlier, if the response %s before the body is complete",
    async (_title, answer) => {
      const { app, begun } = beginning();
      const listener = await start(app((request, response) => (request.resume(), answer(response))));
      const socket = await open(listener);
      socket.write(HALF);
      await begun;
      expect(await next(socket)).toMatch(/^HTTP\/1.1 200 /);
      const closed = once(socket, "close");
      for (let second = 0; second < 15; second++) pass(1);
      await roundTrip(listener);
      expect(socket.closed).toBe(false);
      pass(1);
      await closed;
    },
  );
});

describe("a client that sends a streamed body", () => {
  test("is not disconnected while it sends bytes, however few", async () => {
    const { app, begun } = uploading(async (body) => (await buffer(body)).length);
    const listener = await start(app);
    const socket = await open(listener);
    socket.write(UPLOAD);
    await begun;
    for (let byte = 1; byte < 9; byte++) {
      for (let second = 0; second < 9; second++) pass(1);
      expect(socket.closed).toBe(false);
      socket.write("x");
      await roundTrip(listener);
      pass(1);
    }
    expect(await next(socket)).toMatch(/^HTTP\/1.1 200 [^]*\r\n9$/);
  });

  test("is disconnected if it sends no byte for 10 s, and the handler learns of it", async () => {
    const ended = Promise.withResolvers<unknown>();
    const { app, begun } = uploading((body) => buffer(body).catch((error: unknown) => ended.resolve(error)));
    const listener = await start(app);
    const socket = await open(listener);
    socket.write(UPLOAD);
    await begun;
    for (let second = 0; second < 10; second++) pass(1);
    await roundTrip(listener);
    expect(socket.closed).toBe(false);
    expect(await isCut(socket, () => pass(2))).toBe(true);
    expect(await ended.promise).toMatchObject({ status: 400 });
  });

  test("is not disconnected while the handler does not read", async () => {
    const turn = Promise.withResolvers<void>();
    const { app, begun } = uploading(async (body) => (await turn.promise, (await buffer(body)).length));
    const listener = await start(app);
    const socket = await open(listener);
    socket.write(UPLOAD + "x".repeat(8));
    await begun;
    for (let second = 0; second < 60; second++) pass(1);
    await roundTrip(listener);
    expect(socket.closed).toBe(false);
    turn.resolve();
    expect(await next(socket)).toMatch(/^HTTP\/1.1 200 [^]*\r\n9$/);
  });

  test("has no time limit of the connection's last request while it waits for 100 Continue", async () => {
    const turn = Promise.withResolvers<void>();
    const { app, begun } = uploading(async (body) => (await turn.promise, (await buffer(body)).length));
    const listener = await start(app);
    const socket = await open(listener);
    socket.write("GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await next(socket)).toMatch(/^HTTP\/1.1 404 /);
    await roundTrip(listener);
    socket.write(UPLOAD.slice(0, -1).replace("Host", "Expect: 100-continue\r\nHost"));
    await begun;
    for (let second = 0; second < 60; second++) pass(1);
    await roundTrip(listener);
    expect(socket.closed).toBe(false);
    turn.resolve();
    expect(await next(socket)).toMatch(/^HTTP\/1.1 100 Continue/);
    socket.write("x".repeat(9));
    expect(await next(socket)).toMatch(/^HTTP\/1.1 200 [^]*\r\n9$/);
  });
});

describe("a client that reads slowly", () => {
  const LARGE = Buffer.alloc(64 * 2 ** 20);

  test("is disconnected 5 s after the end of the response", async () => {
    const { app, begun } = beginning();
    const listener = await start(app((_request, response) => void response.end(LARGE)));
    const socket = await open(listener);
    socket.pause().write(GET);
    await begun;
    pass(6); // the first second only detects the waiting client
    await roundTrip(listener);
    expect(await isCut(socket, () => pass(1))).toBe(true);
  });

  test("is disconnected if it accepts no byte of a stream for 10 s", async () => {
    const { app, begun } = beginning();
    const listener = await start(app((_request, response) => void response.write(LARGE)));
    const socket = await open(listener);
    socket.pause().write(GET);
    await begun;
    for (let second = 0; second < 10; second++) pass(1);
    await roundTrip(listener);
    expect(await isCut(socket, () => pass(2))).toBe(true);
  });

  test("is not disconnected while it accepts bytes of a stream, however few", async () => {
    const { app, begun } = beginning();
    const listener = await start(app((_request, response) => void response.write(LARGE)));
    const socket = await open(listener);
    socket.pause().write(GET);
    await begun;
    for (let round = 0; round < 6; round++) {
      for (let second = 0; second < 8; second++) pass(1);
      await read(socket, 8 * 2 ** 20);
      await roundTrip(listener);
    }
    expect(socket.closed).toBe(false);
  });

  test("is not disconnected while a stream has nothing to send", async () => {
    const answers: (() => void)[] = [];
    const { app, begun } = beginning();
    const listener = await start(
      app((_request, response) => {
        response.write("first");
        answers.push(() => response.end("last"));
      }),
    );
    const socket = await open(listener);
    socket.write(GET);
    await begun;
    expect(await next(socket)).toMatch(/first/);
    for (let second = 0; second < 600; second++) pass(1);
    await roundTrip(listener);
    expect(socket.closed).toBe(false);
    answers[0]!();
    expect(await next(socket)).toMatch(/last/);
  });

  test("is not disconnected while the handler still runs", async () => {
    const answers: (() => void)[] = [];
    const { app, begun } = beginning();
    const listener = await start(app((_request, response) => void answers.push(() => response.end("late"))));
    const socket = await open(listener);
    socket.write(GET);
    await begun;
    pass(60);
    answers[0]!();
    expect(await next(socket)).toMatch(/^HTTP\/1.1 200 [^]*late/);
  });
});

describe("an idle client", () => {
  test("is disconnected after 8 s, even if it sends empty lines", async () => {
    const listener = await start((_request, response) => void response.end("x"));
    const socket = await open(listener);
    socket.write(GET);
    await next(socket);
    await roundTrip(listener);
    pass(8);
    socket.write("\r\n");
    await roundTrip(listener);
    expect(socket.closed).toBe(false);
    const closed = once(socket.resume(), "close");
    pass(1);
    await closed;
  });

  test("is not disconnected while its next request is handled", async () => {
    const answers: (() => void)[] = [];
    const listener = await start((_request, response) => void answers.push(() => response.end("x")));
    const socket = await open(listener);
    for (const _ of ["the first request", "the next"]) {
      socket.write(GET);
      await vi.waitUntil(() => answers.length > 0);
      pass(20);
      answers.pop()!();
      expect(await next(socket)).toMatch(/^HTTP\/1.1 200 /);
    }
  });
});

describe("close", () => {
  test("destroys and counts open connections, and leaves no timer", async () => {
    const listener = await listen(() => {}, { host: "127.0.0.1", port: 0 });
    const sockets = [await open(listener), await open(listener)];
    for (const socket of sockets) socket.resume().write("GET / HTTP/1.1\r\n");
    await Promise.all(
      sockets.map((socket) => new Promise<void>((done) => void socket.write("A: b\r\n", () => done()))),
    );
    const closing = listener.close(3_000);
    pass(3);
    expect(await closing).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("resolves at once if no request is open", async () => {
    const listener = await listen((_request, response) => void response.end("x"), { host: "127.0.0.1", port: 0 });
    const socket = await open(listener);
    socket.write(GET);
    await next(socket);
    expect(await listener.close()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("closes a connection after the response to its last request", async () => {
    const answers: (() => void)[] = [];
    const { app, begun } = beginning();
    const listener = await listen(
      app((_request, response) => void answers.push(() => response.end("x"))),
      { host: "127.0.0.1", port: 0 },
    );
    const socket = await open(listener);
    socket.write(GET);
    await begun;
    const closing = listener.close();
    answers[0]!();
    await next(socket);
    const closed = once(socket.resume(), "close");
    await expect.poll(() => (pass(0.05), socket.closed)).toBe(true);
    await closed;
    expect(await closing).toBe(0);
  });
});

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some((one) => one.address === "::1"));

test.skipIf(!hasIPv6)("the origin of an IPv6 address is a valid URL", async () => {
  const listener = await listen((_request, response) => void response.end("x"), { host: "::1", port: 0 });
  onTestFinished(async () => void (await listener.close()));
  expect(listener.origin).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect(await (await fetch(listener.origin)).text()).toBe("x");
});

test("connections beyond 4,096 are closed at once, and the others get responses", async () => {
  vi.useRealTimers();
  const program = await startProgram({});
  const { hostname, port, origin } = new URL(program.baseUrl);
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const add = (count: number): void => {
    for (let at = 0; at < count; at++)
      sockets.push(
        connect(Number(port), hostname)
          .on("error", () => {})
          .resume(),
      );
  };
  for (let batch = 0; batch < 16; batch++) {
    await fetch(`${origin}/healthz`, { headers: { Connection: "close" } }); // the system's queue is limited
    add(256);
  }
  add(50);
  const stillOpen = () => sockets.filter(({ closed }) => !closed);
  await expect.poll(() => stillOpen().length).toBe(4_096);
  const [first] = stillOpen();
  first!.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(await next(first!)).toMatch(/^HTTP\/1.1 200 /);
});

/** Returns an app that passes an upload to a function while it arrives, and a promise that resolves when it has begun. */
function uploading(receive: (body: Readable) => unknown): { app: App; begun: Promise<void> } {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const requestBody = { content: { "application/octet-stream": {} } };
  const responses = { 200: { description: "", content: { "application/json": {} } } };
  const document = {
    openapi: "3.1.0",
    paths: { "/upload": { post: { operationId: "upload", requestBody, responses } } },
  } as OpenApiDocument;
  const handlers: Handlers<{ upload: Upload }> = {
    upload: {
      streamsBody: true,
      async handler({ body }) {
        resolve();
        return { status: 200, body: await receive(body) };
      },
    },
  };
  return { app: express().use(implement<{ upload: Upload }>()({ document, handlers })), begun };
}

interface Upload {
  requestBody: { content: { "application/octet-stream": string } };
  responses: { 200: { content: { "application/json": unknown } } };
}

/** Whether the peer has closed the connection of a client that reads nothing. The client reads again after `act`. */
async function isCut(socket: Socket, act: () => void): Promise<boolean> {
  const closed = once(socket, "close").then(() => true);
  act();
  socket.resume();
  return closed;
}

/** Reads a number of bytes, and pauses again. */
async function read(socket: Socket, bytes: number): Promise<void> {
  for (let left = bytes; left > 0;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) await once(socket, "readable");
    else left -= chunk.length;
  }
}

/** Waits until the listener has read everything sent before. */
async function roundTrip(listener: Listener): Promise<void> {
  const socket = await open(listener);
  socket.write("BREW / HTTP/1.1\r\n\r\n"); // the response does not come from the app
  await next(socket);
  socket.destroy();
}
