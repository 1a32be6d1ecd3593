import { ratioOf, show, spreadOf } from "../measuring/figures.ts";
import type { Contender } from "./contenders.ts";
import { buildNativePeer, type NativePeer, startNativeLoad } from "./native-peers.ts";
import { type Bench, measureFresh, type Series, startContenders } from "./rounds.ts";
import { print } from "./sections.ts";
import { MIXED, WORKS } from "./works.ts";

const SERVICE = "this service";
const SECOND = "this service, again";

/** The peer to which the others are compared. */
const BARE = "bare Fastify";

/** The labels of the peers in other languages. */
export const NATIVE_LABELS: Record<NativePeer, string> = { go: "bare Go", rust: "bare axum" };

/**
 * Compares the service with stacks that have the same techniques: Fastify, and the bare ones, which have only these. Those in Go and
 * Rust are left out where their toolchains are missing. A second copy of the service shows the noise.
 */
export async function compareSameTechniques(bench: Bench): Promise<void> {
  const lineup: Record<string, Contender> = {
    [BARE]: { name: "fastify-bare" },
    [SERVICE]: { name: "petstore" },
    [SECOND]: { name: "petstore" },
    "Fastify, same techniques": { name: "fastify-tuned" },
  };
  using load = await startNativeLoad();
  if (await buildNativePeer("go")) lineup[NATIVE_LABELS.go] = { name: "go" };
  if (load !== undefined) lineup[NATIVE_LABELS.rust] = { name: "rust" };
  const start = (running: DisposableStack) => startContenders(running, lineup, bench.databases);
  const works = { ...WORKS, mixed: MIXED };
  const measured = await measureFresh({ ...bench, load: load ?? bench.load }, start, works);
  for (const [work, all] of Object.entries(measured))
    print(`${work}, ${bench.effort.connections} connections`, all, BARE);
  summarize(measured, Object.keys(lineup));
}

const FIGURES = { "the clock": "perSecond", "CPU time": "perCpuSecond" } as const;

type Measured = Record<string, Record<string, Series>>;

/** Returns a table with a row for each label and a column for each work. */
function tableOf(measured: Measured, labels: string[], cellOf: (label: string, all: Measured[string]) => string) {
  const rowOf = (label: string) =>
    Object.fromEntries(Object.entries(measured).map(([work, all]) => [work, cellOf(label, all)]));
  return Object.fromEntries(labels.map((label) => [label, rowOf(label)]));
}

/** Prints the ratios of all to the bare Fastify, the memory, and the noise of the run. */
function summarize(measured: Measured, labels: string[]): void {
  for (const [name, figure] of Object.entries(FIGURES)) {
    console.log(`\nrequests per second by ${name}: ratio to ${BARE}`);
    console.table(tableOf(measured, labels, (label, all) => show(ratioOf(all[label]![figure], all[BARE]![figure]))));
  }
  console.log("\nmemory of the serving process after the load, in MB");
  console.table(tableOf(measured, labels, (label, all) => show(spreadOf(all[label]!.megabytes), 0)));
  const noise = Object.entries(FIGURES).map(([name, figure]) => {
    const apart = Object.values(measured).map((all) =>
      Math.abs(1 - ratioOf(all[SERVICE]![figure], all[SECOND]![figure]).median),
    );
    return `${(100 * Math.max(...apart)).toFixed(0)}% by ${name}`;
  });
  console.log(
    `\nThe medians of two copies of the service differ by up to ${noise.join(" and ")}. Smaller differences are noise.`,
  );
}
