import { Connection, type Events } from "./connection.ts";

/** A period of load on a server. */
export interface Slice {
  port: number;
  /** The requests as sent, with `{number}` for the number of the request, each with the expected status. The connections take them in turn. */
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
  const requests = slice.requests.map(({ text, status }) => ({
    bytes: text.includes("{number}") ? text : Buffer.from(text),
    status,
  }));
  let answered: Events["answered"] = () => {};
  const open = Array.from(
    { length: slice.connections },
    () =>
      new Connection(slice.port, {
        answered: (...args) => answered(...args),
        closed: () => {
          throw new Error("The server closed the connection.");
        },
      }),
  );
  await Promise.all(open.map(({ connected }) => connected));

  /** Sends requests on each connection, one after the other, and resolves with their number. */
  const exchange = ({ milliseconds, maxRequests = Infinity }: Pick<Slice, "milliseconds" | "maxRequests">) =>
    new Promise<number>((done) => {
      let answers = 0;
      const expected = new Map<Connection, number>();
      const deadline = performance.now() + milliseconds;
      let made = 0;
      let active = open.length;
      const sendNext = (connection: Connection): void => {
        if (performance.now() >= deadline || made++ >= maxRequests) {
          if (--active === 0) done(answers);
          return;
        }
        const { bytes, status } = requests[next++ % requests.length]!;
        expected.set(connection, status);
        connection.send(typeof bytes === "string" ? bytes.replace("{number}", String(next)) : bytes);
      };
      answered = (connection, _sentAt, status) => {
        if (status !== expected.get(connection)) throw new Error(`Answered with ${status}.`);
        answers++;
        sendNext(connection);
      };
      open.forEach(sendNext);
    });

  await exchange({ milliseconds: slice.runIn });
  go = async () => {
    const started = performance.now();
    const cpu = process.cpuUsage();
    const answers = await exchange(slice);
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    for (const connection of open) connection.close();
    return { answered: answers, seconds, cpuSeconds: (user + system) / 1e6 };
  };
  return "ready";
}
