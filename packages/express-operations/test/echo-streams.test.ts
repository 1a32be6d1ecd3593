import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import express, { type ErrorRequestHandler } from "express";
import { expect, onTestFinished, test } from "vitest";
import { implement, type OpenApiDocument } from "../src/index.ts";
import { settle } from "./streaming.ts";

const MiB = 2 ** 20;
const HEAD = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n";

interface Input {
  body: Readable;
  signal: AbortSignal;
}

/** Serves `POST /echo`, whose body and response are both streams. */
async function serve(handler: (input: Input) => object, bodyLimit = 200 * MiB) {
  const bytes = { "application/octet-stream": {} };
  const echo = {
    operationId: "echo",
    requestBody: { required: true, content: bytes },
    responses: { 200: { description: "", content: bytes, headers: { "Content-Length": {} } } },
  };
  const document = { openapi: "3.1.1", paths: { "/echo": { post: echo } } } as OpenApiDocument;
  const errors: Error[] = [];
  const onError: ErrorRequestHandler = (error: Error, _request, response, _next) => {
    errors.push(error);
    if (response.headersSent) response.destroy();
    else response.status(500).end();
  };
  const handlers = { echo: { handler, streamsBody: true, limits: { bodyLimit } } };
  const app = express().use(implement()({ document, handlers: handlers as never }), onError);
  const server = createServer(app).on("checkContinue", app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  const open = (request: string): Socket => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(request);
    return socket;
  };
  return { open, errors };
}

/** Returns the text that arrives until it matches. */
async function arriving(socket: Socket, pattern: RegExp): Promise<string> {
  let received = "";
  while (!pattern.test(received)) received += String((await once(socket, "data"))[0]);
  return received;
}

test("an echo of 100 MiB waits for a client that reads nothing, and then returns every byte", async () => {
  const size = 100 * MiB;
  const server = await serve(({ body }) => ({ status: 200, headers: { "Content-Length": size }, body }));
  const sent = Buffer.from(Array.from({ length: size / 100 }, (_, at) => (at * 7 + (at >> 8)) % 251));
  const socket = server.open(`${HEAD}Content-Length: ${size}\r\nConnection: close\r\n\r\n`).pause();
  for (let count = 0; count < 100; count++) socket.write(sent);
  await once(socket, "connect");
  const accepted = await settle(() => socket.bytesWritten - socket.writableLength);
  expect(accepted).toBeLessThan(48 * MiB); // the buffers of the system
  const received = Buffer.concat((await socket.toArray()) as Buffer[]);
  const digest = (hashed: Buffer): string => hash("sha256", hashed);
  expect(digest(received.subarray(-size))).toBe(digest(Buffer.concat(Array.from({ length: 100 }, () => sent))));
  expect(server.errors).toEqual([]);
});

test("a body that is read after the head of the response is asked for by no 100 Continue", async () => {
  const server = await serve(({ body }) => ({
    status: 200,
    body: (async function* () {
      yield "first,";
      yield await text(body);
    })(),
  }));
  const socket = server.open(`${HEAD}Content-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`);
  const begun = await arriving(socket, /first,/);
  socket.write("last");
  const whole = begun + (await text(socket));
  expect(whole).toMatch(/^HTTP\/1.1 200 [^]*\r\n\r\n6\r\nfirst,\r\n4\r\nlast\r\n0\r\n\r\n$/);
  expect(server.errors).toEqual([]);
});

test("a client that breaks off in the middle of both ends body, response and signal, without an error", async () => {
  const ended = Promise.withResolvers<{ returned: boolean; aborted: boolean; destroyed: boolean }>();
  const server = await serve(({ body, signal }) => ({
    status: 200,
    body: (async function* () {
      let returned = false;
      try {
        for await (const piece of body) yield piece as Buffer;
        returned = true;
      } finally {
        await new Promise((done) => (signal.aborted ? done(null) : signal.addEventListener("abort", done)));
        ended.resolve({ returned, aborted: signal.aborted, destroyed: body.destroyed });
      }
    })(),
  }));
  const socket = server.open(`${HEAD}Content-Length: 1000\r\n\r\nhalf`);
  await arriving(socket, /half/);
  socket.destroy();
  expect(await ended.promise).toEqual({ returned: false, aborted: true, destroyed: true });
  expect(server.errors).toEqual([]);
});

test("the signal of a streamed body aborts if the client goes before the handler has returned", async () => {
  const called = Promise.withResolvers<AbortSignal>();
  const server = await serve(async ({ body, signal }) => {
    called.resolve(signal);
    return { status: 200, body: await text(body) };
  });
  const socket = server.open(`${HEAD}Content-Length: 1000\r\n\r\nhalf`);
  const signal = await called.promise;
  expect(signal.aborted).toBe(false);
  socket.destroy();
  await once(signal, "abort");
  expect(server.errors).toEqual([]);
});

test("a body beyond the limit is a 413 before the response begins, and breaks it off later", async () => {
  const server = await serve(({ body }) => ({ status: 200, body }), 10);
  const chunked = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
  expect(await text(server.open(`${chunked}b\r\n${"x".repeat(11)}\r\n`))).toMatch(/^HTTP\/1.1 413 /);
  const socket = server.open(`${chunked}4\r\nhalf\r\n`);
  await arriving(socket, /half/);
  const rest = text(socket).catch(() => "reset");
  socket.write(`b\r\n${"x".repeat(11)}\r\n`);
  expect(await rest).not.toContain("0\r\n\r\n");
  expect(server.errors).toEqual([]);
});

test.each(["HEAD", "GET"])("%s of an operation with both streams is a 405 without a handler", async (method) => {
  const server = await serve(() => expect.unreachable());
  const sent = await text(server.open(`${method} /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
  expect(sent).toMatch(/^HTTP\/1.1 405 [^]*Allow: OPTIONS, POST\r\n/);
  expect(sent.endsWith("\r\n\r\n")).toBe(method === "HEAD");
});

test("a stream that is sent without reading the body arrives whole, and ends the connection", async () => {
  const server = await serve(() => ({
    status: 200,
    body: (async function* () {
      yield "abc";
    })(),
  }));
  const socket = server.open(`${HEAD}Content-Length: ${100 * MiB}\r\n\r\n${"x".repeat(MiB)}`);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 [^]*Connection: close\r\n[^]*\r\n3\r\nabc\r\n0\r\n\r\n$/);
  expect(server.errors).toEqual([]);
});
