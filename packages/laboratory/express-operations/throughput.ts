import { setTimeout as sleep } from "node:timers/promises";
import { exchange } from "../measuring/connection.ts";
import type { Slice } from "../measuring/load.ts";
import { inTurns, Load, Process } from "../measuring/process.ts";

/** A server to load. */
export interface Entrant {
  /** The module of its process. It sends its port, and its CPU seconds when asked for `CPU seconds`. */
  module: URL;
  args: string[];
  /** The request as sent. */
  request: string;
  /** Matches the complete response, of status 200. */
  response: RegExp;
}

/** The rates of one entrant, by round. */
export interface Rates {
  /** Requests answered per second. */
  perSecond: number[];
  /** Requests answered per second of CPU time of its process, which other processes do not change. */
  perCpuSecond: number[];
}

/**
 * Loads each entrant for one second in turn, for some rounds after a first that does not count, all of them alive
 * throughout. Rejects if a response is wrong.
 */
export async function throughput(entrants: Entrant[], rounds: number): Promise<Rates[]> {
  using running = new DisposableStack();
  const load = running.use(new Load());
  const servers: { server: Process; slice: Slice; rates: Rates }[] = [];
  for (const { module, args, request, response } of entrants) {
    const server = running.use(new Process(0, module, args));
    const port = await server.next<number>();
    const received = await exchange(port, request);
    if (!response.test(received)) throw new Error(`${args.join(" ")} responds with ${received}`);
    const requests = [{ text: request, status: 200 }];
    const slice = { port, requests, connections: 16, milliseconds: 1_000, runIn: 0 };
    servers.push({ server, slice, rates: { perSecond: [], perCpuSecond: [] } });
  }
  await inTurns("Measuring", rounds, servers, async ({ server, slice, rates }, isCounted) => {
    const { answered, seconds, used } = await load.run(slice, () => server.ask<number>("CPU seconds"));
    await sleep(50);
    if (!isCounted) return;
    rates.perSecond.push(answered / seconds);
    rates.perCpuSecond.push(answered / used[0]!);
  });
  return servers.map(({ rates }) => rates);
}
