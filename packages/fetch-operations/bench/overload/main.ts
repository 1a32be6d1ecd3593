import { setImmediate as nextTurn } from "node:timers/promises";
import { createProgram, withProgress } from "@platform/command-line";
import { RETRY_BUDGET } from "../../src/call/retries.ts";
import type { ServiceModel } from "./service.ts";
import { type ClientModel, CLIENTS, IMPATIENT, type Outcome, simulate } from "./simulation.ts";

const number = (text: string): number => Number(text);
const program = createProgram("fetch-operations overload", {
  description: "Simulates clients that retry while a service is overloaded, and afterwards.",
  folder: import.meta.dirname,
  examples: ["npx -y pnpm@12.21.0 --filter fetch-operations simulate:overload --cpu 0.1 --refusal 0.3"],
})
  .option("--seed <n>", "the seed of the arrivals and of the jitter", number, 1)
  .option("--cpu <ms>", "the CPU time of a request that is served", number, 0.1)
  .option("--refusal <share>", "the CPU time of a refusal, relative to that of a request that is served", number, 0.3)
  .option("--database <ms>", "the time that a request waits for the database", number, 5)
  .option("--pause <ms>", "how long the process stops once a second", number, 10);
const options = program.parse().opts<Record<"seed" | "cpu" | "refusal" | "database" | "pause", number>>();

const LIMITS = [16, 64, 128, 256, 1_000, 2_000];
const BUDGETS = { [`budget of ${RETRY_BUDGET}`]: RETRY_BUDGET, "no budget": Infinity };
const CASES = {
  "requests beyond the limit wait for a second; the client's default timeouts": [1_000, CLIENTS, LIMITS],
  "requests beyond the limit wait for a second; impatient clients": [1_000, IMPATIENT, LIMITS],
  "requests beyond the limit are refused at once; impatient clients": [0, IMPATIENT, LIMITS],
  "no limit; impatient clients with any number of connections": [
    0,
    { ...IMPATIENT, connections: Infinity },
    [Infinity],
  ],
} satisfies Record<string, [longestWait: number, clients: ClientModel, limits: number[]]>;

const loads = CLIENTS.phases.map(({ milliseconds, load }) => `${milliseconds / 1000} s at ${load}`).join(", ");
console.log(`Load relative to the capacity of ${(1000 / options.cpu).toFixed(0)} requests a second: ${loads}.`);
console.log(`${CLIENTS.clients} clients with ${CLIENTS.connections} connections each. Seed ${options.seed}.`);
console.log(
  `The default limit of an attempt is ${CLIENTS.attemptTimeout} ms; impatient clients wait for ${IMPATIENT.attemptTimeout} ms.`,
);
for (const [name, [longestWait, clients, limits]] of Object.entries(CASES)) {
  const rows: Record<string, Record<string, string>> = {};
  await withProgress(async (report) => {
    for (const [budget, retryBudget] of Object.entries(BUDGETS)) {
      for (const maxInFlight of limits) {
        report("Simulating", { done: Object.keys(rows).length, total: limits.length * 2, unit: "cases" });
        await nextTurn();
        const service: ServiceModel = {
          maxInFlight,
          longestWait,
          servedCpu: options.cpu,
          refusedCpu: options.cpu * options.refusal,
          databaseTime: options.database,
          pauseEvery: 1_000,
          pause: options.pause,
        };
        const outcome = simulate(service, { ...clients, retryBudget }, options.seed);
        rows[`MAX_IN_FLIGHT=${maxInFlight}, ${budget}`] = rowOf(outcome);
      }
    }
  });
  console.log(`\n${name}`);
  console.table(rows);
}

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
