import { ratioOf, show } from "@platform/bench-support/figures";
import type { Contender } from "./contenders.ts";
import { type Bench, startContenders, measure, measureFresh, startContender } from "./rounds.ts";
import { type Work, type WorkName, WORKS } from "./works.ts";

/** The techniques: the service without each, and the works that it concerns. Caching is off where it would hide the technique. */
const TECHNIQUES: Record<string, { without: Omit<Contender, "name">; works: WorkName[]; isCaching?: false }> = {
  "responses and keys cached": {
    without: { tuning: { isCaching: false } },
    works: ["list 20", "list 100", "get by id", "create", "refuse with 401"],
  },
  "fast path past EOV": {
    without: { tuning: { fastPath: false } },
    works: ["list 20", "get by id", "create", "refuse with 400"],
    isCaching: false,
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
  rows["304 for a cached response"] = await notModified(bench);
  console.log(
    "\ngain of each technique: requests per second of CPU time with it relative to without it; noise: two identical services",
  );
  console.table(rows);
}

/** Measures the gain of 304: requests with a matching `If-None-Match` relative to requests without. */
async function notModified({ load, databases, effort }: Bench): Promise<Record<string, string>> {
  using contender = await startContender("this service", { name: "petstore" }, databases);
  const gains: Record<string, string> = {};
  for (const name of ["list 20", "list 100", "get by id"] as const) {
    const work: Work = WORKS[name];
    const response = await fetch(`http://127.0.0.1:${contender.port}${work.path}`, {
      headers: { Authorization: `Bearer ${contender.key}` },
    });
    await response.text();
    const conditional = { ...work, status: 304, ifNoneMatch: response.headers.get("ETag")! };
    const whole = await measure(load, [contender], [work], effort);
    const again = await measure(load, [contender], [conditional], effort);
    gains[name] = show(ratioOf(again["this service"].perCpuSecond, whole["this service"].perCpuSecond));
  }
  return gains;
}
