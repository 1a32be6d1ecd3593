import { withProgress } from "@openapi-operations/command-line";
import { spreadOf } from "../measuring/figures.ts";
import type { LoadResult } from "../measuring/load.ts";
import type { Contender } from "./contenders.ts";
import { startNativeLoad } from "./native-peers.ts";
import { type Bench, type RunningContender, startContenders, TURNS } from "./rounds.ts";
import { requestsOf, type Work, WORKS } from "./works.ts";

const SIDES = { from: { name: "fastify-bare" }, to: { name: "petstore" } } as const satisfies Record<string, Contender>;

type Side = keyof typeof SIDES;

/** Microseconds for a request by part, work and side, one figure for each round. */
type Figures = Record<string, Record<string, Record<Side, number[]>>>;

/**
 * Prints the CPU time of a request in the bare Fastify and in the service, by what the code does: the steps from one to the other.
 * The service runs from its sources, which tell what code is for.
 */
export async function steps(bench: Bench): Promise<void> {
  using native = await startNativeLoad();
  const load = native ?? bench.load;
  const figures: Figures = {};
  await withProgress(async (report) => {
    for (let round = 0; round < bench.effort.rounds; round++) {
      using running = new DisposableStack();
      for (const contender of await startContenders<Side>(running, SIDES, bench.databases, { isBundled: false }))
        for (const [work, request] of Object.entries<Work>(WORKS)) {
          report(`Profiling ${contender.label === "from" ? "the bare Fastify" : "this service"}, ${work}`);
          for (const [part, time] of Object.entries(await timesOf({ ...bench, load }, contender, request))) {
            const sides = ((figures[part] ??= {})[work] ??= { from: [], to: [] });
            sides[contender.label].push(time);
          }
        }
    }
  });
  const { all, ...parts } = figures;
  const cellOf = ({ from, to }: Record<Side, number[]>) =>
    [from, to].map((series) => spreadOf(series).median.toFixed(1)).join(" → ");
  const rows = Object.entries({ ...parts, all: all! }).map(([part, works]) => {
    return [part, Object.fromEntries(Object.keys(WORKS).map((work) => [work, cellOf(works[work]!)]))];
  });
  console.log("\nCPU time of a request in µs, by profiles: the bare Fastify → this service");
  console.table(Object.fromEntries(rows));
}

async function timesOf({ load, effort }: Bench, { port, key, ask }: RunningContender, work: Work) {
  const { connections, milliseconds, warmUp } = effort;
  const slice = { port, requests: requestsOf([work], key), connections, runIn: warmUp.milliseconds };
  await load.ask({ ...slice, milliseconds: TURNS * milliseconds });
  await ask("start a profile");
  const { answered } = await load.ask<LoadResult>("go");
  const times = Object.entries(await ask<Record<string, number>>("profile"));
  const all = times.reduce((sum, [, time]) => sum + time, 0);
  return Object.fromEntries([...times, ["all", all] as const].map(([part, time]) => [part, time / answered]));
}
