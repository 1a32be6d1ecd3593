import { setTimeout as sleep } from "node:timers/promises";
import type { Contender } from "./contenders.ts";
import type { DocumentName } from "./documents.ts";
import { Process } from "./process.ts";

const PATH = "/users/octocat/keys?per_page=10";
const ANSWER = /^\[\{"id":10,"key":"ssh-ed25519 \S+ octocat"\},/;

/** What one contender with one document did, by round. */
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
 * throughout. Rejects when one gives a wrong answer.
 */
export async function throughput(lineup: [Contender, DocumentName][], rounds: number): Promise<Series[]> {
  using running = new DisposableStack();
  const load = running.use(new Process(1, "load.ts"));
  const lanes: { server: Process; url: string; series: Series }[] = [];
  for (const [contender, document] of lineup) {
    const server = running.use(new Process(0, "server.ts", [contender, document]));
    const url = `http://127.0.0.1:${await server.next<number>()}${PATH}`;
    const answer = await (await fetch(url)).text();
    if (!ANSWER.test(answer)) throw new Error(`${contender} with ${document} answers ${answer}`);
    lanes.push({ server, url, series: { contender, document, perSecond: [], perCpuSecond: [] } });
  }
  for (let round = 0; round <= rounds; round++) {
    for (const at of lanes.keys()) {
      const { server, url, series } = lanes[(at + round) % lanes.length]!;
      const before = await server.ask<number>("CPU seconds");
      const { requests, seconds } = await load.ask<{ requests: number; seconds: number }>(url);
      const cpuSeconds = (await server.ask<number>("CPU seconds")) - before;
      await sleep(50);
      if (round === 0) continue;
      series.perSecond.push(requests / seconds);
      series.perCpuSecond.push(requests / cpuSeconds);
    }
  }
  return lanes.map(({ series }) => series);
}
