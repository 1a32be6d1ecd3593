import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Job, SIZE, uploadChunks } from "./jobs.ts";

/** Sends the request of a job, and replies with the seconds of one transfer. It reads nothing but lengths. */
process.on("message", ({ port, job }: { port: number; job: Job }) => {
  const measured = job.unit === "ms to the first byte" ? firstByte(port, job) : transfer(port, job);
  void measured.then((seconds) => process.send!(seconds));
});
process.on("disconnect", () => process.exit());

/** Seconds from the request to the end of the response, on a connection of its own. */
async function transfer(port: number, job: Job): Promise<number> {
  const socket = await open(port);
  let received = 0;
  let begin = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (begin.length < 1_024) begin += chunk.toString("latin1", 0, 1_024);
  });
  const ended = once(socket, "end");
  const began = performance.now();
  socket.write(headOf(job, "close"));
  if (job.upload !== undefined) await sendBody(socket, job.upload);
  await ended;
  const seconds = (performance.now() - began) / 1_000;
  const isComplete = typeof job.expected === "number" ? received >= job.expected : begin.includes(job.expected);
  if (!begin.startsWith("HTTP/1.1 200") || !isComplete) throw new Error(`${job.title}: ${received} bytes, ${begin}`);
  return seconds;
}

async function sendBody(socket: Socket, { before, after }: NonNullable<Job["upload"]>): Promise<void> {
  socket.write(before);
  for (const chunk of uploadChunks()) if (!socket.write(chunk)) await once(socket, "drain");
  socket.write(after);
}

const REQUESTS = 300;

/** The median of the seconds from a request to the first byte of its body, on one connection. */
async function firstByte(port: number, job: Job): Promise<number> {
  const socket = await open(port);
  const seconds: number[] = [];
  for (let request = 0; request < REQUESTS; request++) seconds.push(await exchange(socket, job));
  socket.destroy();
  return seconds.toSorted((a, b) => a - b)[REQUESTS / 2]!;
}

function exchange(socket: Socket, job: Job): Promise<number> {
  return new Promise((done) => {
    let received = "";
    let first: number | undefined;
    const began = performance.now();
    const onData = (chunk: Buffer): void => {
      received += chunk.toString("latin1");
      if (received.includes(String(job.expected))) first ??= performance.now() - began;
      if (!received.endsWith("\r\n0\r\n\r\n")) return;
      socket.off("data", onData);
      done(first! / 1_000);
    };
    socket.on("data", onData);
    socket.write(headOf(job, "keep-alive"));
  });
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  return socket;
}

function headOf({ method, path, upload }: Job, connection: string): string {
  const head = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", `Connection: ${connection}`];
  if (upload !== undefined) {
    const { before, after, contentType } = upload;
    head.push(`Content-Type: ${contentType}`, `Content-Length: ${before.length + SIZE + after.length}`);
  }
  return `${head.join("\r\n")}\r\n\r\n`;
}
