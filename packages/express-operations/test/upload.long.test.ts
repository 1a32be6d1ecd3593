import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { measure, measuresOf, PATTERN } from "./programs/sample.ts";

const GiB = 1024 ** 3;
const MiB = 1024 ** 2;
const BOUNDARY = "-".repeat(24) + "boundary";
const PROGRAM = fileURLToPath(new URL("programs/upload-server.ts", import.meta.url));
/** The heap of the server's JavaScript, in MiB. */
const HEAP = 64;
/** Most memory of the server's process: its heap, the code of Node and of this package, and buffers. */
const MAX_RSS = 300 * MiB;

interface Upload {
  path: string;
  contentType: string;
  before: string;
  after: string;
}

const raw: Upload = { path: "/raw", contentType: "application/octet-stream", before: "", after: "" };
const form: Upload = {
  path: "/form",
  contentType: `multipart/form-data; boundary=${BOUNDARY}`,
  before: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`,
  after: `\r\n--${BOUNDARY}--\r\n`,
};

test.each([
  ["10 GiB as bytes", raw, 10 * GiB],
  ["5 GiB as a file of a form", form, 5 * GiB],
])(`a server with ${HEAP} MiB of heap receives %s`, { timeout: 600_000 }, async (_title, upload, size) => {
  const { server, port } = await startServer();
  const socket = connect(port, "127.0.0.1");
  const answer = text(socket);
  const start = performance.now();
  const length = upload.before.length + size + upload.after.length;
  const headers = [`Content-Type: ${upload.contentType}`, `Content-Length: ${length}`, "Connection: close", "Host: x"];
  socket.write(`POST ${upload.path} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n${upload.before}`);
  await writeTimes(socket, PATTERN, size / MiB);
  socket.write(upload.after);
  expect(await answer).toMatch(/^HTTP\/1.1 200 /);
  const seconds = (performance.now() - start) / 1_000;

  expect(JSON.parse((await answer).split("\r\n\r\n")[1]!)).toEqual(measuresOf(size));
  await expectBoundedMemory(
    server,
    `${upload.path}: ${(size / 1e6 / seconds).toFixed(0)} MB/s, ${seconds.toFixed(1)} s`,
  );
});

test.each([
  ["10 GiB of an async iterable", "/generated", 10 * GiB],
  ["10 GiB of a readable", "/readable", 10 * GiB],
])(`a server with ${HEAP} MiB of heap sends %s`, { timeout: 600_000 }, async (_title, path, size) => {
  const { server, port } = await startServer();
  const start = performance.now();
  const request = get({ port, host: "127.0.0.1", path: `${path}?size=${size}`, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  expect(await measure(response as AsyncIterable<Buffer>)).toEqual(measuresOf(size));
  const seconds = (performance.now() - start) / 1_000;
  await expectBoundedMemory(server, `${path}: ${(size / 1e6 / seconds).toFixed(0)} MB/s, ${seconds.toFixed(1)} s`);
});

/** Prints the memory of the server, and expects it within the limits. */
async function expectBoundedMemory(server: ChildProcess, figures: string): Promise<void> {
  const { peak, heap } = await memoryOf(server);
  console.log(figures);
  console.log(`memory of the server: heap ${(heap / MiB).toFixed(0)} MiB, peak ${(peak / MiB).toFixed(0)} MiB`);
  expect(heap).toBeLessThan(HEAP * MiB);
  expect(peak).toBeLessThan(MAX_RSS);
}

async function startServer(): Promise<{ server: ChildProcess; port: number }> {
  const server = fork(PROGRAM, { execArgv: [`--max-old-space-size=${HEAP}`] });
  onTestFinished(async () => {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  });
  const [{ port }] = (await once(server, "message")) as [{ port: number }];
  return { server, port };
}

/** Returns the peak of the process's memory, and the heap in use. */
async function memoryOf(server: ChildProcess): Promise<{ peak: number; heap: number }> {
  server.send("memory");
  const [memory] = (await once(server, "message")) as [{ peak: number; heap: number }];
  return memory;
}

async function writeTimes(socket: Socket, chunk: Buffer, times: number): Promise<void> {
  for (let count = 0; count < times; count++) if (!socket.write(chunk)) await once(socket, "drain");
}
