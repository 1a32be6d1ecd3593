import { connect, type Socket } from "node:net";
import { isWhole } from "./connection.ts";
import { randomOf } from "./random.ts";

/** A period of load whose requests arrive at a rate, whether or not earlier ones are answered. */
export interface OpenLoad {
  port: number;
  /** The requests as sent, with `{number}` for the number of the request. They are taken in turn. */
  requests: string[];
  /** Arrivals per second. The times between them are exponentially distributed. */
  perSecond: number;
  /** The most connections that are open at a time. An arrival without a free one waits in the client. */
  connections: number;
  milliseconds: number;
  /** Milliseconds of load before, which are not measured. */
  runIn: number;
  /** Milliseconds from its arrival after which a client no longer waits. It closes the connection of a request that was sent. */
  patience: number;
  seed: number;
}

/** The measurement of a period, by the arrivals in it. */
export interface OpenResult {
  seconds: number;
  arrived: number;
  /** Answered with 2xx in time. */
  served: number;
  /** Answered with 503. */
  refused: number;
  /** Given up before an answer: in the client, or after it was sent. */
  unsent: number;
  timedOut: number;
  /** Whose connection the server closed. */
  broken: number;
  /** Milliseconds from the sending of a served request to its response. */
  p50: number;
  p99: number;
  /** Milliseconds from the sending of a refused request to its response. */
  refusedP99: number;
}

/** An arrival. */
interface Arrival {
  at: number;
  sentAt: number;
  isMeasured: boolean;
}

/**
 * Loads a server at a rate. On an `OpenLoad` message it loads the server and replies with the result. A response with a status
 * other than 2xx and 503 ends the process.
 */
process.on("message", (load: OpenLoad) => void run(load).then((result) => process.send!(result)));
process.on("disconnect", () => process.exit());

/** How often arrivals are sent and given up, in milliseconds. */
const TICK = 1;

async function run({ port, requests, perSecond, connections, milliseconds, runIn, patience, seed }: OpenLoad) {
  const random = randomOf(seed);
  const result = { arrived: 0, served: 0, refused: 0, unsent: 0, timedOut: 0, broken: 0 };
  const latencies: number[] = [];
  const refusals: number[] = [];
  const idle: Client[] = [];
  const open = new Set<Client>();
  const waiting: Arrival[] = []; // a queue from `first` on
  let first = 0;
  let next = 0;

  const send = (client: Client, arrival: Arrival): void => {
    const number = String(seed * 1e9 + next);
    client.send(arrival, requests[next++ % requests.length]!.replace("{number}", number));
  };
  const release = (client: Client): void => {
    const arrival = waiting[first];
    if (arrival === undefined) idle.push(client);
    else {
      first++;
      send(client, arrival);
    }
  };
  const events: Events = {
    answered: (client, { sentAt, isMeasured }, status) => {
      const took = performance.now() - sentAt;
      if (status !== 503 && !(status >= 200 && status < 300)) throw new Error(`Answered with ${status}.`);
      if (isMeasured) {
        result[status === 503 ? "refused" : "served"]++;
        (status === 503 ? refusals : latencies).push(took);
      }
      release(client);
    },
    closed: (client, arrival) => {
      open.delete(client);
      if (arrival?.isMeasured) result.broken++;
      if (arrival === undefined && idle.includes(client)) idle.splice(idle.indexOf(client), 1);
    },
  };
  const connectOne = (): Client => {
    const client = new Client(port, events);
    open.add(client);
    return client;
  };
  const arrive = (at: number, isMeasured: boolean): void => {
    if (isMeasured) result.arrived++;
    const arrival = { at, sentAt: at, isMeasured };
    const client = idle.pop();
    if (client !== undefined) send(client, arrival);
    else if (open.size < connections) send(connectOne(), arrival);
    else waiting.push(arrival);
  };
  const giveUp = (before: number): void => {
    for (; first < waiting.length && waiting[first]!.at < before; first++)
      if (waiting[first]!.isMeasured) result.unsent++;
    for (const client of open) {
      if (client.arrival === undefined || client.arrival.at >= before) continue;
      if (client.arrival.isMeasured) result.timedOut++;
      open.delete(client);
      client.end();
    }
  };

  const started = performance.now();
  const measuredFrom = started + runIn;
  const end = measuredFrom + milliseconds;
  let due = started;
  await new Promise<void>((done) => {
    const tick = setInterval(() => {
      const now = performance.now();
      for (; due <= now && due < end; due += (-Math.log(1 - random()) * 1000) / perSecond)
        arrive(due, due >= measuredFrom);
      giveUp(now - patience);
      if (now < end + patience) return;
      clearInterval(tick);
      done();
    }, TICK);
  });
  for (const client of open) client.end();
  const percentile = (figures: number[], share: number): number => {
    figures.sort((a, b) => a - b);
    return figures[Math.floor(figures.length * share)] ?? Number.NaN;
  };
  return {
    ...result,
    seconds: milliseconds / 1000,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    refusedP99: percentile(refusals, 0.99),
  } satisfies OpenResult;
}

interface Events {
  answered: (client: Client, arrival: Arrival, status: number) => void;
  closed: (client: Client, arrival: Arrival | undefined) => void;
}

const EMPTY: Buffer = Buffer.alloc(0);
/** The buffer that every connection reads into; a stream would allocate one for each response. */
const SHARED: Buffer = Buffer.allocUnsafe(65_536);

/** A persistent connection with one request at a time, or none. */
class Client {
  arrival: Arrival | undefined;
  readonly #socket: Socket;

  constructor(port: number, events: Events) {
    let begun: Buffer = EMPTY;
    const receive = (chunk: Buffer): void => {
      const received = begun === EMPTY ? chunk : Buffer.concat([begun, chunk]);
      const { arrival } = this;
      if (arrival === undefined || !isWhole(received)) {
        begun = Buffer.from(received); // a copy, because the next chunk overwrites this one
        return;
      }
      begun = EMPTY;
      this.arrival = undefined;
      events.answered(this, arrival, Number(received.toString("latin1", 9, 12)));
    };
    const onread = {
      buffer: SHARED,
      callback: (size: number, buffer: Uint8Array) => {
        receive((buffer as Buffer).subarray(0, size));
        return true;
      },
    };
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => events.closed(this, this.arrival));
  }

  send(arrival: Arrival, text: string): void {
    this.arrival = arrival;
    arrival.sentAt = performance.now();
    this.#socket.write(text, "latin1");
  }

  /** Leaves without a report. */
  end(): void {
    this.arrival = undefined;
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }
}
