import { Process } from "../../../packages/express-operations/bench/process.ts";
import type { Question } from "./contender.ts";
import { type Contender, flagsOf } from "./contenders.ts";
import type { Databases } from "./database.ts";
import type { Outcome, Slice } from "./load.ts";
import { serviceWith } from "./patches.ts";
import type { PeerDatabase } from "./peers/peer.ts";
import { requestText, type Work } from "./works.ts";

const moduleUrl = (name: string): string => new URL(name, import.meta.url).href;

/** A contender that runs, in a process of its own, on a copy of a database of its own. */
export interface Lane<Label extends string = string> extends Disposable {
  label: Label;
  port: number;
  key: string;
  ask: <Answer>(question: Question) => Promise<Answer>;
}

/** Starts a contender on the servers' core, or on any when `isPinned` is false. */
export async function startLane<Label extends string>(
  label: Label,
  contender: Contender,
  databases: Databases,
  { synchronous = "normal", isPinned = true }: { synchronous?: PeerDatabase["synchronous"]; isPinned?: boolean } = {},
): Promise<Lane<Label>> {
  const database: PeerDatabase = { path: await databases.copy(), synchronous };
  const { patches = [] } = contender;
  const service = await serviceWith(synchronous === "normal" ? [...patches, "synchronous=NORMAL"] : patches);
  const words = [contender, database, service].map((word) => JSON.stringify(word));
  const server = new Process(isPinned ? 0 : undefined, moduleUrl("contender.ts"), words, flagsOf(contender));
  const port = await server.next<number>();
  return {
    label,
    port,
    key: databases.key,
    ask: (question) => server.ask(question),
    [Symbol.dispose]: () => server[Symbol.dispose](),
  };
}

/** The process that makes the load, on the other core. */
export function startLoad(): Process {
  return new Process(1, moduleUrl("load.ts"));
}

/** What one lane did, by round. */
export interface Series {
  /** Requests answered per second. */
  perSecond: number[];
  /** Requests answered per second that the processor was the server's: what others take does not show. */
  perCpuSecond: number[];
  p50: number[];
  p99: number[];
  /** The share of the time in which the server's process did not have the processor. */
  idle: number[];
}

/** How long to measure. */
export interface Effort {
  rounds: number;
  milliseconds: number;
  connections: number;
  /** Comes before the first round, since V8 goes on compiling what is new to a process for many requests. */
  warmUp: Required<Pick<Slice, "milliseconds" | "most">>;
}

/**
 * Loads each lane in turn with the same works, for some rounds after it has warmed up; all of them are alive throughout.
 * Rejects when an answer has another status than it should.
 */
export async function measure<Label extends string>(
  load: Process,
  lanes: Lane<Label>[],
  works: Work[],
  { rounds, milliseconds, connections, warmUp }: Effort,
): Promise<Record<Label, Series>> {
  const empty = (): Series => ({ perSecond: [], perCpuSecond: [], p50: [], p99: [], idle: [] });
  const all = Object.fromEntries(lanes.map(({ label }) => [label, empty()])) as Record<Label, Series>;
  for (let round = 0; round <= rounds; round++) {
    for (const at of lanes.keys()) {
      const { label, port, key, ask } = lanes[(at + round) % lanes.length]!;
      const requests = works.map((work) => ({ text: requestText(work, key), status: work.status }));
      const slice: Slice = { port, requests, connections, milliseconds, ...(round === 0 && warmUp) };
      const before = await ask<number>("CPU seconds");
      const { answered, seconds, p50, p99 } = await load.ask<Outcome>({ ...slice });
      const cpuSeconds = (await ask<number>("CPU seconds")) - before;
      if (round === 0) continue;
      const series = all[label];
      series.perSecond.push(answered / seconds);
      series.perCpuSecond.push(answered / cpuSeconds);
      series.p50.push(p50);
      series.p99.push(p99);
      series.idle.push(Math.max(0, 1 - cpuSeconds / seconds));
    }
  }
  return all;
}
