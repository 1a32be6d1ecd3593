import { writeFile } from "node:fs/promises";
import type { Profiler } from "node:inspector";
import { createProgram, wholeNumber, withProgress } from "@platform/command-line";
import { canPin, startLoad } from "../measuring/process.ts";
import { capacity } from "./capacity.ts";
import { chart } from "./chart.ts";
import { createDatabases } from "./database.ts";
import { installPeers } from "./install-peers.ts";
import { overload } from "./overload.ts";
import { twoProcesses } from "./processes.ts";
import { costsOf } from "./profile.ts";
import { type Bench, measure, startContender, TURNS } from "./rounds.ts";
import { compareTechniques } from "./same-techniques.ts";
import { compareStacks, durableCreations, growth, mixedLoad, startUp } from "./sections.ts";
import { techniques } from "./techniques.ts";
import { type Work, WORKS } from "./works.ts";

const SECTIONS = [
  "stacks",
  "native",
  "durable",
  "mixed",
  "start",
  "growth",
  "processes",
  "techniques",
  "overload",
  "capacity",
] as const;

const program = createProgram("bench", {
  description: "Compares the service with Fastify, Hono, Node's own HTTP server, Go and axum.",
  folder: import.meta.dirname,
  examples: ["npx -y pnpm@12.21.0 bench service stacks --rounds 3"],
})
  .argument("[sections...]", `some of ${SECTIONS.join(", ")}; with --profile, kinds of requests (default: all)`)
  .option("--quick", "only show that the stacks work, without figures")
  .option("--profile", "print the functions with the largest self time")
  .option("--rounds <n>", "the number of rounds", wholeNumber(1), 5)
  .option("--milliseconds <n>", "the time of each turn", wholeNumber(1), 1_000)
  .parse();
const { args: positionals } = program;
const values = program.opts<{ quick?: true; profile?: true; rounds: number; milliseconds: number }>();
const known: string[] = values.profile ? Object.keys(WORKS) : [...SECTIONS];
const unknown = positionals.find((name) => !known.includes(name));
if (unknown !== undefined) program.error(`error: unknown section '${unknown}'. Name some of ${known.join(", ")}.`);
const chosen = (section: (typeof SECTIONS)[number]): boolean =>
  values.quick
    ? section === "stacks" || section === "native"
    : positionals.length === 0 || positionals.includes(section);
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
using load = startLoad();
const bench: Bench = { load, databases, effort };

console.log(canPin ? "Servers on core 0, load on core 1." : "Processes are not pinned: ratios are rough.");
console.log(
  `Medians (lowest–highest) of ${effort.rounds} rounds, most with ${TURNS} turns of ${effort.milliseconds} ms each; 10,000 animals.`,
);
if (values.profile) {
  await profile();
} else {
  if (chosen("stacks")) {
    const ratios = await compareStacks(bench);
    if (!values.quick) {
      for (const theme of ["light", "dark"] as const) {
        await writeFile(new URL(`../../../apps/server/docs/chart-${theme}.svg`, import.meta.url), chart(ratios, theme));
      }
    }
  }
  if (chosen("native")) await compareTechniques(bench);
  if (chosen("durable")) await durableCreations(bench);
  if (chosen("mixed")) await mixedLoad(bench);
  if (chosen("start")) await startUp(bench);
  if (chosen("growth")) await growth(bench, 1_000_000);
  if (chosen("processes")) await twoProcesses(bench);
  if (chosen("techniques")) await techniques(bench);
  if (chosen("capacity")) await capacity(bench);
  if (chosen("overload")) await overload(databases, effort);
}

/** Prints the five functions with the largest self time, for each work. */
async function profile(): Promise<void> {
  for (const [name, work] of Object.entries(WORKS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const costs = await withProgress((report) => {
      report(`Profiling ${name}`);
      return profileOf(work);
    });
    console.log(`\n${name}`);
    console.table(costs.slice(0, 5).map(({ place, share }) => ({ place, share: `${(100 * share).toFixed(1)}%` })));
  }
}

async function profileOf(work: Work): Promise<ReturnType<typeof costsOf>> {
  using contender = await startContender("this service", { name: "petstore" }, databases);
  await measure(load, [contender], [work], { ...effort, rounds: 1 });
  await contender.ask("start profile");
  await measure(load, [contender], [work], { ...effort, rounds: 1 });
  return costsOf(await contender.ask<Profiler.Profile>("end profile"));
}
