import { Connection, type PreparedRequest } from "./connection.ts";

/** A period of load on a server. */
export interface Slice {
  port: number;
  /** The requests as sent, each with the expected status. The connections take them in turn. */
  requests: { text: string; status: number }[];
  connections: number;
  milliseconds: number;
  /** Milliseconds of load before, which are not measured. */
  runIn: number;
  /** Ends the period early after so many requests. */
  maxRequests?: number;
}

/** The measurement of a slice. */
export interface LoadResult {
  answered: number;
  seconds: number;
  /** The CPU time of this process. */
  cpuSeconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/**
 * Loads a server, one request at a time on each connection. On a `Slice` message it connects, warms up and replies "ready";
 * on "go" it measures and replies with the result. A response with an unexpected status ends the process.
 */
process.on("message", (message: Slice | "go") => {
  void (message === "go" ? go() : getReady(message)).then((answer) => process.send!(answer));
});
process.on("disconnect", () => process.exit());

/** The next request. It continues where the last slice ended, so that short slices reach every request too. */
let next = 0;
let go: () => Promise<LoadResult>;

/**
 * Connects and warms up, so that a slow beginning is not measured: Node accepts one connection per turn of the event loop,
 * and V8 has released memory while the process was idle.
 */
async function getReady(slice: Slice): Promise<"ready"> {
  const prepared = slice.requests.map(({ text, status }) => ({ bytes: Buffer.from(text), status: String(status) }));
  const open = await Promise.all(Array.from({ length: slice.connections }, () => Connection.open(slice.port)));
  await run(open, prepared, { milliseconds: slice.runIn });
  go = async () => {
    const outcome = await run(open, prepared, slice);
    for (const connection of open) connection.close();
    return outcome;
  };
  return "ready";
}

async function run(
  open: Connection[],
  prepared: PreparedRequest[],
  { milliseconds, maxRequests = Infinity }: Pick<Slice, "milliseconds" | "maxRequests">,
): Promise<LoadResult> {
  const latencies: number[] = [];
  const started = performance.now();
  const cpu = process.cpuUsage();
  const deadline = started + milliseconds;
  let made = 0;
  const nextInTime = (): PreparedRequest | undefined => {
    if (performance.now() >= deadline || made++ >= maxRequests) return undefined;
    return prepared[next++ % prepared.length]!;
  };
  await Promise.all(open.map((connection) => connection.exchange(nextInTime, latencies)));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  latencies.sort((a, b) => a - b);
  const percentile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    answered: latencies.length,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    p50: percentile(0.5),
    p99: percentile(0.99),
  };
}
