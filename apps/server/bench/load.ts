import { Connection } from "./connection.ts";

/** What to load a server with for a while. */
export interface Slice {
  port: number;
  /** The requests as they go over the wire, each with the status of its answer; connections take them in turn. */
  requests: { text: string; status: number }[];
  connections: number;
  milliseconds: number;
  /** Ends before the time is over when so many requests are made. */
  maxRequests?: number;
}

/** What came of it. */
export interface Outcome {
  answered: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** Loads a server as it is told, one request at a time on each connection. An answer with another status ends it. */
process.on("message", (slice: Slice) => void run(slice).then((outcome) => process.send!(outcome)));
process.on("disconnect", () => process.exit());

/** Goes on where the slice before has ended, so that every request has its turn however short slices are. */
let next = 0;

async function run({ port, requests, connections, milliseconds, maxRequests = Infinity }: Slice): Promise<Outcome> {
  const prepared = requests.map(({ text, status }) => ({ bytes: Buffer.from(text), status: String(status) }));
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const latencies: number[] = [];
  const started = performance.now();
  const deadline = started + milliseconds;
  let made = 0;
  await Promise.all(
    open.map(async (connection) => {
      await connection.exchange(() => {
        if (performance.now() >= deadline || made++ >= maxRequests) return undefined;
        return prepared[next++ % prepared.length]!;
      }, latencies);
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  for (const connection of open) connection.close();
  latencies.sort((a, b) => a - b);
  const percentile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    answered: latencies.length,
    seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
  };
}
