import { bundledService } from "./bundled-service.ts";
import { compareResponses, type Server } from "./responses.ts";
import type { LoadResult, Slice } from "@platform/bench-support/load";
import { Process } from "@platform/bench-support/process";
import type { Question } from "./contender.ts";
import { type Contender, flagsOf } from "./contenders.ts";
import type { Databases } from "./database.ts";
import type { PeerDatabase } from "./peers/peer.ts";
import { requestText, type Work } from "./works.ts";

/** A contender that runs, in a process of its own, on a copy of a database of its own. */
export interface RunningContender<Label extends string = string> extends Server, Disposable {
  label: Label;
  ask: <Answer>(question: Question) => Promise<Answer>;
}

/**
 * V8 throws compiled code away when a process has done little for some seconds, as contenders do while they wait for one another,
 * and a server under load does not.
 */
const KEEP_COMPILED_CODE = "--no-memory-reducer";

/** Starts a contender on the servers' core, or on any when `isPinned` is false. */
export async function startContender<Label extends string>(
  label: Label,
  contender: Contender,
  databases: Databases,
  { synchronous = "normal", isPinned = true }: { synchronous?: PeerDatabase["synchronous"]; isPinned?: boolean } = {},
): Promise<RunningContender<Label>> {
  const database: PeerDatabase = { path: await databases.copy(), synchronous };
  const args = [contender, database, await bundledService()].map((arg) => JSON.stringify(arg));
  const flags = [...flagsOf(contender), KEEP_COMPILED_CODE];
  const server = new Process(isPinned ? 0 : undefined, new URL("contender.ts", import.meta.url), args, flags);
  const port = await server.next<number>();
  return {
    label,
    port,
    key: databases.key,
    ask: (question) => server.ask(question),
    [Symbol.dispose]: () => server[Symbol.dispose](),
  };
}

/** What one contender did, by round. */
export interface Series {
  /** Requests answered per second. */
  perSecond: number[];
  /** Requests answered per second that the processor was the server's: what others take does not show. */
  perCpuSecond: number[];
  p50: number[];
  p99: number[];
  /** The share of the time in which the server's process did not have the processor. */
  idle: number[];
  /** Resident memory of the server's process right after it. */
  megabytes: number[];
}

/** How long to measure. */
export interface Effort {
  rounds: number;
  milliseconds: number;
  connections: number;
  /**
   * Comes before the first round, with so many requests for each kind among the works unless the time is over before, since
   * V8 goes on compiling the way of a kind for many requests.
   */
  warmUp: Required<Pick<Slice, "milliseconds" | "maxRequests">>;
}

/** What the sections of the benchmark share. */
export interface Bench {
  load: Process;
  databases: Databases;
  effort: Effort;
}

/**
 * Loads each contender in turn with the same works, for some rounds after it has warmed up; all of them are alive throughout.
 * Rejects when an answer has another status than it should.
 */
export async function measure<Label extends string>(
  load: Process,
  contenders: RunningContender<Label>[],
  works: Work[],
  { rounds, milliseconds, connections, warmUp }: Effort,
): Promise<Record<Label, Series>> {
  const empty = (): Series => ({ perSecond: [], perCpuSecond: [], p50: [], p99: [], idle: [], megabytes: [] });
  const all = Object.fromEntries(contenders.map(({ label }) => [label, empty()])) as Record<Label, Series>;
  const warmingUp = { ...warmUp, runIn: 0, maxRequests: warmUp.maxRequests * new Set(works).size };
  for (let round = 0; round <= rounds; round++) {
    for (const at of contenders.keys()) {
      const { label, port, key, ask } = contenders[(at + round) % contenders.length]!;
      const requests = works.map((work) => ({ text: requestText(work, key), status: work.status }));
      const slice: Slice = {
        port,
        requests,
        connections,
        milliseconds,
        runIn: milliseconds,
        ...(round === 0 && warmingUp),
      };
      await load.ask({ ...slice });
      const before = await ask<number>("CPU seconds");
      const { answered, seconds, p50, p99 } = await load.ask<LoadResult>("go");
      const cpuSeconds = (await ask<number>("CPU seconds")) - before;
      const megabytes = await ask<number>("memory in MB");
      if (round === 0) continue;
      const series = all[label];
      series.perSecond.push(answered / seconds);
      series.perCpuSecond.push(answered / cpuSeconds);
      series.p50.push(p50);
      series.p99.push(p99);
      series.idle.push(Math.max(0, 1 - cpuSeconds / seconds));
      series.megabytes.push(megabytes);
    }
  }
  return all;
}

/** Starts contenders that end with `running`. */
export async function startContenders<Name extends string>(
  running: DisposableStack,
  lineup: Record<Name, Contender>,
  databases: Databases,
  options: Parameters<typeof startContender>[3] = {},
): Promise<RunningContender<Name>[]> {
  const entries = Object.entries(lineup) as [Name, Contender][];
  return Promise.all(
    entries.map(async ([label, contender]) => running.use(await startContender(label, contender, databases, options))),
  );
}

/** How often it is each contender's turn with a work while it lives: starting and warming up takes much longer than that. */
export const TURNS = 3;

/**
 * Measures works one after the other, each round on processes that are started for it, their answers compared before:
 * of two with the same code one may be the quicker as long as both live, by more than there is between some of the stacks.
 * Requests of all kinds come before one is measured: V8 would still compile for the first what it has long for the others.
 */
export async function measureFresh<Name extends string, Key extends string>(
  { load, effort }: Pick<Bench, "load" | "effort">,
  start: (running: DisposableStack) => Promise<RunningContender<Name>[]>,
  works: Record<Key, Work | Work[]>,
): Promise<Record<Key, Record<Name, Series>>> {
  const all: Partial<Record<Key, Record<Name, Series>>> = {};
  for (let round = 0; round < effort.rounds; round++) {
    using running = new DisposableStack();
    const contenders = await start(running);
    contenders.push(...contenders.splice(0, round % contenders.length)); // nobody is always the first
    const kinds = Object.values<Work | Work[]>(works).flat();
    await compareResponses(contenders, kinds);
    await measure(load, contenders, kinds, { ...effort, rounds: 0 });
    for (const name in works) {
      const measured = await measure(load, contenders, [works[name]].flat(), { ...effort, rounds: TURNS });
      const before = (all[name] ??= measured);
      if (round > 0) for (const { label } of contenders) append(before[label], measured[label]);
    }
  }
  return all as Record<Key, Record<Name, Series>>;
}

function append(series: Series, more: Series): void {
  for (const figure of Object.keys(series) as (keyof Series)[]) series[figure].push(...more[figure]);
}
