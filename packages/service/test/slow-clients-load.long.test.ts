import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Program } from "@platform/test-support/program";
import { expect, onTestFinished, test } from "vitest";
import { startProgram } from "./things-program.ts";

/** `pnpm --filter @openapi-operations/service test:slow-clients` runs 1,000. */
const CLIENTS = Number(process.env["SLOW_CLIENTS"] ?? 60);
const EACH = Math.ceil(CLIENTS / 4);

/** The full number runs on an idle machine, where times are more precise. The noise is in milliseconds. */
const [REQUESTS, NOISE] = CLIENTS >= 1_000 ? [500, 5] : [150, 50];
const ROUNDS = 5;

const GET_CONTRACT = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";

test(`${CLIENTS} clients that send or read byte by byte at most double the p99 of a healthy client`, async () => {
  const program = await startProgram({ LOG_LEVEL: "silent" });
  const rounds: { alone: number; beside: number; ratio: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await timesOf(program, (done) => done.length < REQUESTS); // until the service is warm, and the last round's clients are gone
    const alone = p99(await timesOf(program, (done) => done.length < REQUESTS));
    const slow = await Promise.all([
      connected(EACH, program, "GET /v1/things HTTP/1.1\r\nHost: x\r\n"),
      connected(EACH, program, `${postHead()}{"name":"`),
      connected(EACH, program, postHead("none")),
      connected(EACH, program, GET_CONTRACT),
    ]);
    const timer = setInterval(() => slow.flat().forEach((socket) => socket.write("x")), 1_000);
    const beside = p99(await timesOf(program, (done) => done.length < REQUESTS));
    clearInterval(timer);
    expect(slow.flat().filter(({ destroyed }) => destroyed).length).toBeLessThan(CLIENTS / 2); // most clients stayed connected
    for (const socket of slow.flat()) socket.destroy();
    rounds.push({ alone, beside, ratio: Math.max(beside, NOISE) / Math.max(alone, NOISE) });
  }
  console.log(rounds);
  const ratios = rounds.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
  expect(ratios[Math.floor(ROUNDS / 2)]).toBeLessThanOrEqual(2); // the median ignores one noisy round
  expect(await program.stop()).toBe(0);
});

test(`${CLIENTS} clients that send or read byte by byte are disconnected in time, and a healthy client's requests succeed`, async () => {
  const program = await startProgram({ LOG_LEVEL: "silent" });
  const before = await timesOf(program, (done) => done.length < 500);

  const slow = [
    senders(EACH, program, "GET /v1/things HTTP/1.1\r\nHost: x\r\n"),
    senders(EACH, program, `${postHead()}{"name":"`),
    senders(EACH, program, postHead("none")),
    readers(EACH, program, GET_CONTRACT),
    readers(5, program, GET_CONTRACT.repeat(400)), // more than the system's buffers hold
  ];
  const allGone = Promise.all(slow);
  let areGone = false;
  void allGone.then(() => (areGone = true));
  const during = await timesOf(program, () => !areGone, 20);

  const [headers = 0, bodies = 0, withoutKey = 0, answer = 0, answers = 0] = await allGone;
  const seconds = { headers, bodies, withoutKey, answer, answers };
  console.log({ clients: CLIENTS, seconds, p99: { before: p99(before), during: p99(during) } });
  for (const longest of [headers, answer, answers]) expect(longest).toBeLessThan(15);
  for (const longest of [bodies, withoutKey]) expect(longest).toBeLessThan(20);
  expect(await program.stop()).toBe(0);
});

/** Connects clients. Each has sent `opening` and continues to read. */
async function connected(count: number, { baseUrl }: Program, opening: string): Promise<Socket[]> {
  const { hostname, port } = new URL(baseUrl);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname).on("error", () => {});
      onTestFinished(() => void socket.destroy());
      await once(socket, "connect");
      socket.resume().write(opening);
      return socket;
    }),
  );
}

/** Clients that send `opening` and then a byte each second. Returns the seconds until the last one was closed. */
function senders(count: number, program: Program, opening: string): Promise<number> {
  return untilClosed(
    count,
    program,
    (socket) => socket.resume().write(opening),
    (socket) => socket.write("x"),
  );
}

/** Clients that read the responses to `requests`, a byte each second. They write to detect the end of the connection. */
function readers(count: number, program: Program, requests: string): Promise<number> {
  return untilClosed(
    count,
    program,
    (socket) => socket.on("readable", () => {}).write(requests),
    (socket) => {
      socket.read(1);
      socket.write("\r\n");
    },
  );
}

type Act = (socket: Socket) => void;

async function untilClosed(count: number, { baseUrl }: Program, open: Act, drip: Act): Promise<number> {
  const { hostname, port } = new URL(baseUrl);
  const began = performance.now();
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).on("error", () => {}));
  const allClosed = Promise.all(sockets.map((socket) => new Promise((done) => socket.once("close", done))));
  sockets.forEach(open);
  const timer = setInterval(() => sockets.filter(({ closed }) => !closed).forEach(drip), 1_000);
  onTestFinished(() => clearInterval(timer));
  await allClosed;
  return Math.round((performance.now() - began) / 100) / 10;
}

/** The head of a creation whose body never ends. */
function postHead(key = "good"): string {
  const head = `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n`;
}

/** Returns the durations of a healthy client's requests in milliseconds, one after the other with pauses. Each has to succeed. */
async function timesOf({ baseUrl }: Program, goesOn: (done: number[]) => boolean, pause = 0): Promise<number[]> {
  const done: number[] = [];
  while (goesOn(done)) {
    const began = performance.now();
    const response = await fetch(`${baseUrl}/things`, { headers: { Authorization: "Bearer good" } });
    await response.text();
    expect(response.status).toBe(200);
    done.push(performance.now() - began);
    if (pause > 0) await setTimeout(pause);
  }
  return done;
}

function p99(times: number[]): number {
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]! * 10) / 10;
}
