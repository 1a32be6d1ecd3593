import { Connection, type PreparedRequest } from "./connection.ts";

/** What to load a server with for a while. */
export interface Slice {
  port: number;
  /** The requests as they go over the wire, each with the status of its answer; connections take them in turn. */
  requests: { text: string; status: number }[];
  connections: number;
  milliseconds: number;
  /** It is loaded for so many milliseconds before, which do not count. */
  runIn: number;
  /** Ends before the time is over when so many requests are made. */
  maxRequests?: number;
}

/** What came of it. */
export interface LoadResult {
  answered: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/**
 * Loads a server as it is told, one request at a time on each connection: told a slice it gets ready and says so, told to go
 * it says what came of it. An answer with another status ends it.
 */
process.on("message", (message: Slice | "go") => {
  void (message === "go" ? go() : getReady(message)).then((answer) => process.send!(answer));
});
process.on("disconnect", () => process.exit());

/** Goes on where the slice before has ended, so that every request has its turn however short slices are. */
let next = 0;
let go: () => Promise<LoadResult>;

/**
 * Connects and runs in, as a server that begins slowly is not what is measured: Node accepts one connection for each turn of
 * its event loop, and V8, where the process was idle, has given memory back.
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
  const deadline = started + milliseconds;
  let made = 0;
  const nextInTime = (): PreparedRequest | undefined => {
    if (performance.now() >= deadline || made++ >= maxRequests) return undefined;
    return prepared[next++ % prepared.length]!;
  };
  await Promise.all(open.map((connection) => connection.exchange(nextInTime, latencies)));
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const percentile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    answered: latencies.length,
    seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
  };
}
