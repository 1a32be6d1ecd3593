import { setTimeout } from "node:timers/promises";
import { randomOf } from "@platform/test-support/random";
import { Connection, type Events } from "./connection.ts";

/** A period of load whose requests arrive at a rate, whether or not earlier ones are answered. */
export interface OpenLoad {
  port: number;
  /** The requests as sent, with `{number}` for the number of the request. They are taken in turn. */
  requests: string[];
  /** Arrivals per second. The times between them are exponentially distributed. */
  perSecond: number;
  /** The connections, opened before the load begins. An arrival without a free one is given up at once. */
  connections: number;
  milliseconds: number;
  /** Milliseconds of load before, which are not measured. */
  runIn: number;
  /** Milliseconds after which a client no longer waits for a response, and closes the connection. */
  patience: number;
  seed: number;
}

/** The measurement of a period, by what happened in it. */
export interface OpenResult {
  seconds: number;
  arrived: number;
  /** Answered with 2xx in time. */
  served: number;
  /** Answered with 503. */
  refused: number;
  /** Milliseconds from the sending of a served request to its response; the patience if there is none. */
  p99: number;
}

/**
 * Loads a server at a rate. On an `OpenLoad` message it loads the server and replies with the result. A response with a status
 * other than 2xx and 503 ends the process.
 */
process.on("message", (load: OpenLoad) => void run(load).then((result) => process.send!(result)));
process.on("disconnect", () => process.exit());

/** How often requests are sent, and how often they are given up, in milliseconds. */
const TICK = 1;
const CHECK = 50;
/** How many connections are opened at once. A server's queue holds 511, and a client tries again after a second. */
const OPENED_AT_ONCE = 100;
/** How long an idle server takes to accept connections at most, in milliseconds. It accepts few at a time while it is busy. */
const ACCEPTED_IN = 500;

async function run(load: OpenLoad): Promise<OpenResult> {
  const { port, requests, perSecond, connections, milliseconds, runIn, patience, seed } = load;
  const random = randomOf(seed);
  const result = { arrived: 0, served: 0, refused: 0 };
  const latencies: number[] = [];
  const idle: Connection[] = [];
  const open = new Set<Connection>();
  let measuredFrom = Infinity;
  let end = Infinity;
  const isMeasured = (time: number): boolean => time >= measuredFrom && time < end;
  let next = 0;

  const events: Events = {
    answered: (client, sentAt, status) => {
      if (status !== 503 && !(status >= 200 && status < 300)) throw new Error(`Answered with ${status}.`);
      idle.push(client);
      const now = performance.now();
      if (!isMeasured(now)) return;
      result[status === 503 ? "refused" : "served"]++;
      if (status !== 503) latencies.push(now - sentAt);
    },
    closed: (client) => {
      open.delete(client);
      if (idle.includes(client)) idle.splice(idle.indexOf(client), 1);
    },
  };
  const arrive = (isCounted: boolean): void => {
    if (isCounted) result.arrived++;
    let client = idle.pop();
    if (client === undefined && open.size < connections) open.add((client = new Connection(port, events)));
    if (client === undefined) return;
    const number = String(seed * 1e9 + next);
    client.send(requests[next++ % requests.length]!.replace("{number}", number));
  };
  const giveUp = (now: number): void => {
    for (const client of open) {
      if (client.sentAt === undefined || client.sentAt >= now - patience) continue;
      open.delete(client);
      client.close();
    }
  };

  while (idle.length < connections) {
    const count = Math.min(OPENED_AT_ONCE, connections - idle.length);
    const some = Array.from({ length: count }, () => new Connection(port, events));
    await Promise.all(some.map(({ connected }) => connected));
    for (const client of some) open.add(client);
    idle.push(...some);
  }
  await setTimeout(ACCEPTED_IN);
  const started = performance.now();
  measuredFrom = started + runIn;
  end = measuredFrom + milliseconds;
  let due = started;
  let nextCheck = started;
  await new Promise<void>((done) => {
    const tick = setInterval(() => {
      const now = performance.now();
      for (; due <= now && due < end; due += (-Math.log(1 - random()) * 1000) / perSecond) arrive(due >= measuredFrom);
      if (now >= nextCheck) {
        giveUp(now);
        nextCheck = now + CHECK;
      }
      if (now < end) return;
      clearInterval(tick);
      done();
    }, TICK);
  });
  for (const client of open) client.close();
  latencies.sort((a, b) => a - b);
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? patience;
  return { ...result, seconds: milliseconds / 1000, p99 };
}
