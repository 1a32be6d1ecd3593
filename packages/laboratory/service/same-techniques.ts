import { ratioOf, show, spreadOf } from "../measuring/figures.ts";
import type { Contender } from "./contenders.ts";
import { buildRustPeer } from "./rust-peer.ts";
import { type Bench, measureFresh, type Series, startContenders } from "./rounds.ts";
import { print } from "./sections.ts";
import { MIXED, type Work, WORKS } from "./works.ts";

const SERVICE = "this service";
const SECOND = "this service, again";
const FASTIFY = "Fastify, same techniques";

/** The label of the peer in Rust. */
export const AXUM = "axum, same techniques";

/** A table of the comparison: a kind of request under some conditions. */
interface Comparison {
  title: string;
  all: Record<string, Series>;
}

/**
 * Compares the service with stacks that have the same techniques: Fastify, and axum where Cargo is. A second copy of the
 * service shows the noise.
 */
export async function compareTechniques(bench: Bench): Promise<void> {
  const hasRust = await buildRustPeer();
  const lineupWith = (env: NodeJS.ProcessEnv, isCaching: boolean): Record<string, Contender> => ({
    [SERVICE]: { name: "petstore", tuning: { isCaching } },
    [SECOND]: { name: "petstore", tuning: { isCaching } },
    [FASTIFY]: { name: "fastify-tuned", env },
    ...(hasRust && { [AXUM]: { name: "rust", env } }),
  });
  const bases = hasRust ? [FASTIFY, AXUM] : [FASTIFY];
  const few = bench.effort.connections;
  const comparisons: Comparison[] = [];
  const compare = async (
    condition: string,
    works: Record<string, Work | Work[]>,
    more: { connections?: number; synchronous?: "full"; lineup?: Record<string, Contender> } = {},
  ): Promise<void> => {
    const { connections = few, synchronous = "normal", lineup = lineupWith({}, true) } = more;
    const start = (running: DisposableStack) => startContenders(running, lineup, bench.databases, { synchronous });
    const effort = { ...bench.effort, connections };
    for (const [name, all] of Object.entries(await measureFresh({ load: bench.load, effort }, start, works))) {
      const title = `${name}, ${connections} connections, ${condition}`;
      print(title, all, ...bases);
      comparisons.push({ title, all });
    }
  };
  const { create } = WORKS;
  await compare("responses and keys cached", { ...WORKS, mixed: MIXED });
  await compare("synchronous=NORMAL", { create }, { connections: 8 * few });
  for (const connections of [few, 8 * few])
    await compare("synchronous=FULL", { create }, { connections, synchronous: "full" });
  await compare("nothing cached", WORKS, { lineup: lineupWith({ PEER_CACHES: "off" }, false) });
  summarize(comparisons, bases);
}

/** Prints the ratios of the service to each base by the clock and by CPU time, its memory, and the noise of the run. */
function summarize(comparisons: Comparison[], bases: string[]): void {
  const figures = { "the clock": "perSecond", "CPU time": "perCpuSecond" } as const;
  for (const [name, figure] of Object.entries(figures)) {
    const ratios = tableOf(comparisons, ({ all }) =>
      [...bases, SECOND].map((base) => [`to ${base}`, show(ratioOf(all[SERVICE]![figure], all[base]![figure]))]),
    );
    console.log(`\nthis service: ratio of requests per second by ${name}`);
    console.table(ratios);
  }
  const memory = tableOf(comparisons, ({ all }) => [
    ...[SERVICE, ...bases].map((label) => [label, show(spreadOf(all[label]!.megabytes), 0)] as const),
    [`this service to ${FASTIFY}`, show(ratioOf(all[SERVICE]!.megabytes, all[FASTIFY]!.megabytes))],
  ]);
  console.log("\nmemory of the serving process after the load, in MB");
  console.table(memory);
  const noise = Object.entries(figures).map(([name, figure]) => {
    const apart = comparisons.map(({ all }) =>
      Math.abs(1 - ratioOf(all[SERVICE]![figure], all[SECOND]![figure]).median),
    );
    return `${(100 * Math.max(...apart)).toFixed(0)}% by ${name}`;
  });
  console.log(
    `\nThe medians of two copies of the service differ by up to ${noise.join(" and ")}. Smaller differences are noise.`,
  );
}

function tableOf(
  comparisons: Comparison[],
  columnsOf: (comparison: Comparison) => (readonly [string, string])[],
): Record<string, Record<string, string>> {
  return Object.fromEntries(
    comparisons.map((comparison) => [comparison.title, Object.fromEntries(columnsOf(comparison))]),
  );
}
