import { createProgram, withProgress } from "@platform/command-line";
import { RETRY_BUDGET } from "../../src/call/retries.ts";
import type { ServiceModel } from "./service.ts";
import { CLIENTS, type Outcome, simulate } from "./simulation.ts";

const number = (text: string): number => Number(text);
const program = createProgram("fetch-operations overload", {
  description: "Simulates clients that retry while a service is overloaded, and afterwards.",
  folder: import.meta.dirname,
  examples: ["npx -y pnpm@12.21.0 --filter fetch-operations simulate:overload --cpu 0.1 --refusal 0.3"],
})
  .option("--seed <n>", "the seed of the arrivals and of the jitter", number, 1)
  .option("--cpu <ms>", "the CPU time of a request that is served", number, 0.1)
  .option("--refusal <share>", "the CPU time of a refusal, relative to that of a request that is served", number, 0.3)
  .option("--wait <ms>", "the time that a request waits for the database", number, 5)
  .option("--pause <ms>", "how long the process stops once a second", number, 10);
const options = program.parse().opts<Record<"seed" | "cpu" | "refusal" | "wait" | "pause", number>>();

const LIMITS = [8, 16, 32, 64, 128, 256, 512, 1_000, 4_000, Infinity];
const budgets = { [`budget of ${RETRY_BUDGET}`]: RETRY_BUDGET, "no budget": Infinity };
const rows: Record<string, Record<string, string>> = {};
await withProgress(async (report) => {
  for (const [name, retryBudget] of Object.entries(budgets)) {
    for (const maxInFlight of LIMITS) {
      report("Simulating", { done: Object.keys(rows).length, total: LIMITS.length * 2, unit: "cases" });
      await new Promise(setImmediate);
      const service: ServiceModel = {
        maxInFlight,
        servedCpu: options.cpu,
        refusedCpu: options.cpu * options.refusal,
        wait: options.wait,
        pauseEvery: 1_000,
        pause: options.pause,
      };
      rows[`${maxInFlight}, ${name}`] = rowOf(simulate(service, { ...CLIENTS, retryBudget }, options.seed));
    }
  }
});
const loads = CLIENTS.phases.map(({ milliseconds, load }) => `${milliseconds / 1000} s at ${load}`).join(", ");
console.log(`Load relative to the capacity of ${(1000 / options.cpu).toFixed(0)} requests a second: ${loads}.`);
console.log(
  `${CLIENTS.clients} clients, which give up an attempt after ${CLIENTS.attemptTimeout} ms. Seed ${options.seed}.`,
);
console.table(rows);

function rowOf({ goodput, p99, retries, servedAfterwards, recovery }: Outcome): Record<string, string> {
  return {
    "goodput of the capacity": goodput.toFixed(2),
    "p99 ms": p99.toFixed(0),
    "retries/call before": retries[0]!.toFixed(2),
    during: retries[1]!.toFixed(2),
    afterwards: retries[2]!.toFixed(2),
    "served afterwards": `${(100 * servedAfterwards).toFixed(1)}%`,
    "recovery s": recovery === Infinity ? "never" : recovery.toFixed(0),
  };
}
