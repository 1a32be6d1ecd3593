import { writeFile } from "node:fs/promises";
import { PNPM, createProgram, wholeNumber } from "@platform/command-line";
import { canPin, startLoad } from "../measuring/process.ts";
import { capacity } from "./capacity.ts";
import { chart } from "./chart.ts";
import { createDatabases } from "./database.ts";
import { installPeers } from "./install-peers.ts";
import { overload } from "./overload.ts";
import { twoProcesses } from "./processes.ts";
import { type Bench, TURNS } from "./rounds.ts";
import { compareTechniques } from "./same-techniques.ts";
import { compareStacks, durableCreations, growth, mixedLoad, startUp } from "./sections.ts";
import { techniques } from "./techniques.ts";

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

const program = createProgram("bench service", {
  description: "Compares the service with Fastify, Hono, Node's own HTTP server, Go and axum.",
  folder: import.meta.dirname,
  examples: [`${PNPM} bench service stacks --rounds 3`],
})
  .argument("[sections...]", `some of ${SECTIONS.join(", ")} (default: all)`)
  .option("--quick", "only show that the stacks work, without figures")
  .option("--rounds <n>", "the number of rounds", wholeNumber(1), 5)
  .option("--milliseconds <n>", "the time of each turn", wholeNumber(1), 1_000)
  .parse();
const { args: positionals } = program;
const values = program.opts<{ quick?: true; rounds: number; milliseconds: number }>();
const unknown = positionals.find((name) => !(SECTIONS as readonly string[]).includes(name));
if (unknown !== undefined) program.error(`error: unknown section '${unknown}'. Name some of ${SECTIONS.join(", ")}.`);
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
