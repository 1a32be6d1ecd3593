import { PNPM, createProgram, wholeNumber } from "@openapi-operations/command-line";
import { canPin, Load } from "../measuring/process.ts";
import { capacity } from "./capacity.ts";
import { createDatabases } from "./database.ts";
import { onDisk } from "./disk.ts";
import { installPeers } from "../measuring/install.ts";
import { expiry } from "./expiry.ts";
import { onPostgres } from "./postgres.ts";
import { twoProcesses } from "./processes.ts";
import { type Bench, TURNS } from "./rounds.ts";
import { compareSameTechniques } from "./same-techniques.ts";
import { compareStacks, durableCreations, growth, mixedLoad, startUp, techniques } from "./sections.ts";
import { steps } from "./steps.ts";

/** The sections, in the order in which they run. */
const SECTIONS: Record<string, (bench: Bench) => Promise<unknown>> = {
  stacks: compareStacks,
  native: compareSameTechniques,
  durable: durableCreations,
  mixed: mixedLoad,
  start: startUp,
  growth: (bench) => growth(bench, 1_000_000),
  processes: twoProcesses,
  techniques,
  steps,
  postgres: onPostgres,
  expiry,
  capacity,
  disk: (bench) => onDisk(bench, values.animals),
};
const NAMES = Object.keys(SECTIONS);

const program = createProgram("bench service", {
  description: "Compares the service with Fastify, Hono, Express, Go and axum, and with itself.",
  folder: import.meta.dirname,
  examples: [`${PNPM} bench service stacks --rounds 3`],
})
  .argument("[sections...]", `some of ${NAMES.join(", ")} (default: all)`)
  .option("--quick", "only show that the sections run: their figures mean nothing")
  .option("--rounds <n>", "the number of rounds", wholeNumber(1), 5)
  .option("--milliseconds <n>", "the time of each turn", wholeNumber(1), 1_000)
  .option("--animals <n>", "the animals of the section disk", wholeNumber(10_000), 20_000_000)
  .parse();
const { args: positionals } = program;
const values = program.opts<{ quick?: true; rounds: number; milliseconds: number; animals: number }>();
const unknown = positionals.find((name) => !NAMES.includes(name));
if (unknown !== undefined) program.error(`error: unknown section '${unknown}'. Name some of ${NAMES.join(", ")}.`);
const all = values.quick ? ["stacks", "native", "techniques", "steps", "postgres"] : NAMES;
const chosen = positionals.length === 0 ? all : positionals;
const effort = values.quick
  ? { rounds: 1, milliseconds: 20, connections: 4, warmUp: { milliseconds: 20, maxRequests: 100 } }
  : {
      rounds: values.rounds,
      milliseconds: values.milliseconds,
      connections: 32,
      warmUp: { milliseconds: 5_000, maxRequests: 25_000 },
    };

await installPeers();
await using databases = await createDatabases(10_000);
using load = new Load();
const bench: Bench = { load, databases, effort };

console.log(canPin ? "Servers on core 0, load on core 1." : "Processes are not pinned: ratios are rough.");
console.log(
  `Medians (lowest–highest) of ${effort.rounds} rounds, most with ${TURNS} turns of ${effort.milliseconds} ms each; 10,000 animals.`,
);
for (const name of NAMES) if (chosen.includes(name)) await SECTIONS[name]!(bench);
