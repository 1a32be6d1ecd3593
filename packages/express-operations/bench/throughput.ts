import { setTimeout as sleep } from "node:timers/promises";
import type { LoadResult, Slice } from "@platform/bench-support/load";
import { Process, startLoad } from "@platform/bench-support/process";
import type { Contender } from "./contenders.ts";
import type { DocumentName } from "./documents.ts";

const PATH = "/users/octocat/keys?per_page=10";
const REQUEST = { text: `GET ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, status: 200 };
const BODY = /^\[\{"id":10,"key":"ssh-ed25519 \S+ octocat"\},/;

/** The rates of one contender with one document, by round. */
export interface Series {
  contender: Contender;
  document: DocumentName;
  /** Requests answered per second. */
  perSecond: number[];
  /** Requests answered per second that its process was given the processor: what others take does not show. */
  perCpuSecond: number[];
}

/**
 * Loads each contender for one second in turn, for some rounds after a first that does not count, all of them alive
 * throughout. Rejects if a response is wrong.
 */
export async function throughput(lineup: [Contender, DocumentName][], rounds: number): Promise<Series[]> {
  using running = new DisposableStack();
  const load = running.use(startLoad());
  const contenders: { server: Process; port: number; series: Series }[] = [];
  for (const [contender, document] of lineup) {
    const server = running.use(new Process(0, new URL("server.ts", import.meta.url), [contender, document]));
    const port = await server.next<number>();
    const body = await (await fetch(`http://127.0.0.1:${port}${PATH}`)).text();
    if (!BODY.test(body)) throw new Error(`${contender} with ${document} responds with ${body}`);
    contenders.push({ server, port, series: { contender, document, perSecond: [], perCpuSecond: [] } });
  }
  for (let round = 0; round <= rounds; round++) {
    for (const at of contenders.keys()) {
      const { server, port, series } = contenders[(at + round) % contenders.length]!;
      const slice: Slice = { port, requests: [REQUEST], connections: 16, milliseconds: 1_000, runIn: 0 };
      await load.ask({ ...slice });
      const before = await server.ask<number>("CPU seconds");
      const { answered, seconds } = await load.ask<LoadResult>("go");
      const cpuSeconds = (await server.ask<number>("CPU seconds")) - before;
      await sleep(50);
      if (round === 0) continue;
      series.perSecond.push(answered / seconds);
      series.perCpuSecond.push(answered / cpuSeconds);
    }
  }
  return contenders.map(({ series }) => series);
}
