/** Measures streams and uploads. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ratioOf, show, spreadOf } from "../../measuring/figures.ts";
import { canPin, inTurns, Process } from "../../measuring/process.ts";
import { installPeers } from "../../measuring/install.ts";
import { PNPM, createProgram, wholeNumber } from "@openapi-operations/command-line";
import { type Job, JOBS, SIZE } from "./jobs.ts";
import type { Usage } from "./server.ts";

/** The servers, each in its documented way. */
const CONTENDERS = ["ours", "express", "fastify"] as const;
type Contender = (typeof CONTENDERS)[number];

/** The measurements of one job with one server. */
interface Result {
  /** By round, in the unit of the job. */
  rates: number[];
  /** The same by the CPU time of the server. */
  cpuRates: number[];
  /** Megabytes at the peak. */
  memory: number;
  heap: number;
}

const program = createProgram("bench streams", {
  description: "Measures streams and uploads beside other libraries.",
  folder: import.meta.dirname,
  examples: [`${PNPM} bench streams 3 download`],
})
  .argument("[rounds]", "the number of rounds", wholeNumber(1), 9)
  .argument("[title]", "a part of the titles of the measurements", "")
  .parse();
const [ROUNDS, title] = program.processedArgs as [number, string];
await installPeers();
const jobs = JOBS.filter((job) => job.title.includes(title));

console.log(canPin ? "Servers on core 0, load on core 1." : "Processes are not pinned: ratios are rough.");
const folder = mkdtempSync(join(tmpdir(), "streams-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
const file = join(folder, "file.bin");
writeFileSync(file, "");
truncateSync(file, SIZE);

const goals: Record<string, object> = {};
using load = new Process(1, new URL("load.ts", import.meta.url));
for (const job of jobs) {
  const results = await measureJob(job);
  console.log(`\n${job.title}, ${job.unit}: median of ${ROUNDS} rounds (lowest–highest)`);
  const digits = job.unit === "ms to the first byte" ? 2 : 0;
  console.table(
    CONTENDERS.map((contender) => {
      const { rates, cpuRates, memory, heap } = results[contender];
      return {
        "served by": contender,
        [job.unit]: show(spreadOf(rates), digits),
        "to bare Express": show(ratioOf(rates, results.express.rates)),
        "the same by CPU time": show(ratioOf(cpuRates, results.express.cpuRates)),
        "peak RSS, MB": memory.toFixed(0),
        "peak heap, MB": heap.toFixed(0),
      };
    }),
  );
  goals[job.title] = {
    goal: job.unit === "ms to the first byte" ? "≤ 1.1" : "≥ 0.9",
    clock: show(ratioOf(results.ours.rates, results.express.rates)),
    CPU: show(ratioOf(results.ours.cpuRates, results.express.cpuRates)),
  };
}
console.log("\nGoals: express-operations to bare Express");
console.table(goals);

/**
 * Runs a job with each server in turn. The servers live in processes of their own, on one core, and the load is on the other.
 */
async function measureJob(job: Job): Promise<Record<Contender, Result>> {
  using running = new DisposableStack();
  const entrants: { contender: Contender; server: Process; port: number; result: Result }[] = [];
  for (const contender of CONTENDERS) {
    const server = running.use(new Process(0, new URL("server.ts", import.meta.url), [contender, file]));
    const result: Result = { rates: [], cpuRates: [], memory: 0, heap: 0 };
    entrants.push({ contender, server, port: await server.next<number>(), result });
  }
  await inTurns(`Measuring ${job.title}`, ROUNDS, entrants, async ({ server, port, result }, isCounted) => {
    const before = await server.ask<Usage>("usage");
    const seconds = await load.ask<number>({ port, job });
    const after = await server.ask<Usage>("usage");
    result.memory = after.peakMemory;
    result.heap = after.peakHeap;
    if (!isCounted) return;
    const isTime = job.unit === "ms to the first byte";
    result.rates.push(isTime ? seconds * 1_000 : job.amount / seconds);
    const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
    result.cpuRates.push(isTime ? cpuSeconds : job.amount / cpuSeconds);
  });
  const results = entrants.map(({ contender, result }) => [contender, result]);
  return Object.fromEntries(results) as Record<Contender, Result>;
}
