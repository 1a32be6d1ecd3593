import { withProgress } from "@platform/command-line";
import { Process } from "../../measuring/process.ts";
import type { Job } from "./jobs.ts";
import type { Usage } from "./server.ts";

/** The servers, each in its documented way. */
export const CONTENDERS = ["ours", "express", "fastify", "hono"] as const;
export type Contender = (typeof CONTENDERS)[number];

/** The measurements of one job with one server. */
export interface Result {
  /** By round, in the unit of the job. */
  rates: number[];
  /** The same by the CPU time of the server. */
  cpuRates: number[];
  /** Megabytes at the peak. */
  memory: number;
  heap: number;
}

/**
 * Runs each job with each server in turn, for some rounds after a first that does not count. The servers of a job live in
 * processes of their own. Servers are on one core, the load on the other.
 */
export async function* measureStreams(
  jobs: Job[],
  file: string,
  rounds: number,
): AsyncGenerator<{ job: Job; results: Record<Contender, Result> }> {
  using load = new Process(1, new URL("load.ts", import.meta.url));
  for (const job of jobs) {
    using running = new DisposableStack();
    const entrants: { contender: Contender; server: Process; port: number; result: Result }[] = [];
    for (const contender of CONTENDERS) {
      const server = running.use(new Process(0, new URL("server.ts", import.meta.url), [contender, file]));
      const result: Result = { rates: [], cpuRates: [], memory: 0, heap: 0 };
      entrants.push({ contender, server, port: await server.next<number>(), result });
    }
    const total = (rounds + 1) * entrants.length;
    await withProgress(async (report) => {
      for (let turn = 0; turn < total; turn++) {
        report(`Measuring ${job.title}`, { done: turn, total, unit: "turns" });
        const round = Math.floor(turn / entrants.length);
        const { server, port, result } = entrants[(turn + round) % entrants.length]!;
        const before = await server.ask<Usage>("usage");
        const seconds = await load.ask<number>({ port, job });
        const after = await server.ask<Usage>("usage");
        result.memory = after.peakMemory;
        result.heap = after.peakHeap;
        if (round === 0) continue;
        const isTime = job.unit === "ms to the first byte";
        result.rates.push(isTime ? seconds * 1_000 : job.amount / seconds);
        const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
        result.cpuRates.push(isTime ? cpuSeconds : job.amount / cpuSeconds);
      }
    });
    const results = entrants.map(({ contender, result }) => [contender, result]);
    yield { job, results: Object.fromEntries(results) as Record<Contender, Result> };
  }
}
