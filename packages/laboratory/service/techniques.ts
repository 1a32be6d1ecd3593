import { ratioOf, show } from "../measuring/figures.ts";
import type { Contender } from "./contenders.ts";
import { type Bench, startContenders, measureFresh } from "./rounds.ts";
import { type WorkName, WORKS } from "./works.ts";

/** The techniques: the service without each, and the works that it concerns. Caching is off where it would hide the technique. */
const TECHNIQUES: Record<string, { without: Omit<Contender, "name">; works: WorkName[]; isCaching?: false }> = {
  "responses and keys cached": {
    without: { tuning: { isCaching: false } },
    works: ["list 20", "list 100", "get by id", "create", "refuse with 401"],
  },
  "requests and responses made with Express's prototypes": {
    without: { tuning: { isPlain: true } },
    works: ["list 20", "get by id", "create", "refuse with 400", "refuse with 401"],
  },
  "commits in groups": { without: { tuning: { largestGroup: 1 } }, works: ["create"] },
  "Node's flags": { without: { flags: [] }, works: ["list 20", "create"] },
};

/** Measures the gain of each technique: the service with it relative to the service without it. */
export async function techniques(bench: Bench): Promise<void> {
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, { without, works, isCaching = true }] of Object.entries(TECHNIQUES)) {
    const lineup: Record<"with" | "again" | "without", Contender> = {
      with: { name: "petstore", tuning: { isCaching } },
      again: { name: "petstore", tuning: { isCaching } },
      without: { name: "petstore", ...without, tuning: { isCaching, ...without.tuning } },
    };
    const start = (running: DisposableStack) => startContenders(running, lineup, bench.databases);
    const all = await measureFresh(bench, start, Object.fromEntries(works.map((work) => [work, WORKS[work]])));
    const gains: Record<string, string> = {};
    for (const [work, series] of Object.entries(all)) {
      const gain = show(ratioOf(series.with.perCpuSecond, series.without.perCpuSecond));
      gains[work] = `${gain}; noise ${show(ratioOf(series.with.perCpuSecond, series.again.perCpuSecond))}`;
    }
    rows[name] = gains;
  }
  console.log(
    "\ngain of each technique: requests per second of CPU time with it relative to without it; noise: two identical services",
  );
  console.table(rows);
}
