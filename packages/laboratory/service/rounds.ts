import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withProgress } from "@openapi-operations/command-line";
import { bundle } from "@openapi-operations/contract-tools/build";
import { compareResponses, type Server } from "./responses.ts";
import type { Slice } from "../measuring/load.ts";
import { type Load, Process } from "../measuring/process.ts";
import type { Question } from "./contender.ts";
import { type Contender, flagsOf } from "./contenders.ts";
import type { Databases } from "./database.ts";
import type { PeerDatabase } from "../peers/service/peer.ts";
import { requestsOf, type Work } from "./works.ts";

/** A contender in a child process, with its own copy of the database. */
export interface RunningContender<Label extends string = string> extends Server, Disposable {
  label: Label;
  ask: <Answer>(question: Question) => Promise<Answer>;
  /** Returns the CPU seconds of its database, if that is a server. */
  database?: () => Promise<number>;
}

/**
 * V8 discards compiled code when a process is idle for some seconds, as contenders are while others are measured. A server
 * under load is never idle so long.
 */
const KEEP_COMPILED_CODE = "--no-memory-reducer";

/** The folder of the program. */
export const SERVER = join(import.meta.dirname, "../../../apps/server");

let bundled: Promise<string> | undefined;

/** Returns the URL of `service.ts`, bundled in the same way as by `build`. */
async function bundleService(): Promise<string> {
  // Inside node_modules, so that packages outside the bundle are found.
  const folder = mkdtempSync(join(SERVER, "node_modules/.bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  await bundle(SERVER, folder, { service: join(import.meta.dirname, "service.ts") });
  return pathToFileURL(join(folder, "src/service.js")).href;
}

interface StartOptions {
  synchronous?: PeerDatabase["synchronous"];
  /** Default: true. */
  isPinned?: boolean;
  /** Whether the service runs as built, not from its sources. Default: true. */
  isBundled?: boolean;
}

/** Starts a contender on the servers' core, or on any core if `isPinned` is false. */
export async function startContender<Label extends string>(
  label: Label,
  contender: Contender,
  databases: Databases,
  { synchronous = "normal", isPinned = true, isBundled = true }: StartOptions = {},
): Promise<RunningContender<Label>> {
  const database: PeerDatabase = { path: await databases.copy(), synchronous };
  const service = isBundled ? await (bundled ??= bundleService()) : import.meta.resolve("./service.ts");
  const args = [contender, database, service].map((arg) => JSON.stringify(arg));
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

/** The measurements of one contender, by round. */
export interface Series {
  /** Requests answered per second. */
  perSecond: number[];
  /** Requests answered per second of the server's CPU time, which other processes do not affect. */
  perCpuSecond: number[];
  /** The share of the time in which the server process did not use the CPU. */
  idle: number[];
  /** The resident memory of the server process right after the turn. */
  megabytes: number[];
  /** The CPU time of the database server for a request, in microseconds; 0 without one. */
  database: number[];
}

/** How long to measure, and with how many connections. */
export interface Effort {
  rounds: number;
  milliseconds: number;
  connections: number;
  /**
   * The warm-up before the first round: so many requests of each kind, or the time limit. It is long because V8 goes on
   * optimizing the code of each kind for many requests.
   */
  warmUp: Required<Pick<Slice, "milliseconds" | "maxRequests">>;
}

/** The resources that the sections of the benchmark share. */
export interface Bench {
  load: Load;
  databases: Databases;
  effort: Effort;
}

/**
 * Loads the contenders in turn with the same works, for some rounds after a warm-up. All contenders run throughout.
 * Rejects if a response has an unexpected status. Calls `onTurn` after each turn.
 */
export async function measure<Label extends string>(
  load: Load,
  contenders: RunningContender<Label>[],
  works: Work[],
  { rounds, milliseconds, connections, warmUp }: Effort,
  onTurn: () => void = () => {},
): Promise<Record<Label, Series>> {
  const empty = (): Series => ({ perSecond: [], perCpuSecond: [], idle: [], megabytes: [], database: [] });
  const all = Object.fromEntries(contenders.map(({ label }) => [label, empty()])) as Record<Label, Series>;
  const warmingUp = { ...warmUp, runIn: 0, maxRequests: warmUp.maxRequests * new Set(works).size };
  for (let round = 0; round <= rounds; round++) {
    for (const at of contenders.keys()) {
      const { label, port, key, ask, database = async () => 0 } = contenders[(at + round) % contenders.length]!;
      const slice = { port, requests: requestsOf(works, key), connections, milliseconds, runIn: milliseconds };
      const ofServer = (): Promise<number> => ask("CPU seconds");
      const turn = { ...slice, ...(round === 0 && warmingUp) };
      const { answered, seconds, used } = await load.run(turn, ofServer, database);
      const cpuSeconds = used[0]!;
      const megabytes = await ask<number>("memory in MB");
      onTurn();
      if (round === 0) continue;
      const series = all[label];
      series.perSecond.push(answered / seconds);
      series.perCpuSecond.push(answered / cpuSeconds);
      series.idle.push(Math.max(0, 1 - cpuSeconds / seconds));
      series.megabytes.push(megabytes);
      series.database.push((used[1]! * 1e6) / answered);
    }
  }
  return all;
}

/** Starts contenders, which end when `running` is disposed. */
export async function startContenders<Name extends string>(
  running: DisposableStack,
  lineup: Record<Name, Contender>,
  databases: Databases,
  options: StartOptions = {},
): Promise<RunningContender<Name>[]> {
  const entries = Object.entries(lineup) as [Name, Contender][];
  return Promise.all(
    entries.map(async ([label, contender]) => running.use(await startContender(label, contender, databases, options))),
  );
}

/** How many turns each contender has with a work in a round; several, because starting and warming up take much longer. */
export const TURNS = 3;

/**
 * Measures works one after the other. Each round starts new processes and first compares their responses. New processes are
 * needed because one of two identical processes may stay faster, by more than some stacks differ. All kinds of requests
 * run before the first measurement; otherwise V8 would still be compiling during the first one.
 */
export async function measureFresh<Name extends string, Key extends string>(
  { load, effort }: Pick<Bench, "load" | "effort">,
  start: (running: DisposableStack) => Promise<RunningContender<Name>[]>,
  works: Record<Key, Work | Work[]>,
): Promise<Record<Key, Record<Name, Series>>> {
  const all: Partial<Record<Key, Record<Name, Series>>> = {};
  await withProgress(async (report) => {
    report("Starting the contenders");
    let turns = 0;
    for (let round = 0; round < effort.rounds; round++) {
      using running = new DisposableStack();
      const contenders = await start(running);
      contenders.push(...contenders.splice(0, round % contenders.length)); // another one is first in each round
      const kinds = Object.values<Work | Work[]>(works).flat();
      const total = effort.rounds * contenders.length * (1 + Object.keys(works).length * (1 + TURNS));
      const onTurn = () => report("Measuring", { done: ++turns, total, unit: "turns" });
      await compareResponses(contenders, kinds);
      await measure(load, contenders, kinds, { ...effort, rounds: 0 }, onTurn);
      for (const name in works) {
        const measured = await measure(load, contenders, [works[name]].flat(), { ...effort, rounds: TURNS }, onTurn);
        const before = (all[name] ??= measured);
        if (round > 0) for (const { label } of contenders) append(before[label], measured[label]);
      }
    }
  });
  return all as Record<Key, Record<Name, Series>>;
}

function append(series: Series, more: Series): void {
  for (const figure of Object.keys(series) as (keyof Series)[]) series[figure].push(...more[figure]);
}
