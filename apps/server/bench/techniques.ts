import { ratioOf, show } from "../../../packages/express-operations/bench/figures.ts";
import type { Contender } from "./contenders.ts";
import type { PatchName } from "./patches.ts";
import { type Bench, lanesOf, measure, measureAnew, startLane } from "./rounds.ts";
import { type Work, type WorkName, WORKS } from "./works.ts";

const KEPT: PatchName[] = ["without anything kept"];

/** Each technique by what takes it out, and the works it is for; what another hides is measured without that. */
const TECHNIQUES: { without: PatchName; works: WorkName[]; hiddenBy?: PatchName[] }[] = [
  { without: "without requests of a turn together", works: ["list 20", "get by id", "refuse with 401"] },
  { without: "without answers kept", works: ["list 20", "list 100", "get by id"] },
  { without: "without key verdicts kept", works: ["get by id", "create", "refuse with 401"] },
  { without: "without queries compiled once", works: ["list 20", "get by id", "create"], hiddenBy: KEPT },
  { without: "without running queries at once", works: ["list 20", "get by id", "create"], hiddenBy: KEPT },
  { without: "without statements kept", works: ["list 20", "get by id", "create"], hiddenBy: KEPT },
  { without: "without the shortcut past EOV", works: ["list 20", "create", "refuse with 400"], hiddenBy: KEPT },
  { without: "without headers written at once", works: ["get by id", "refuse with 401"] },
  { without: "without prototypes from birth", works: ["get by id", "refuse with 401"] },
  { without: "without writing the log in batches", works: ["get by id", "refuse with 401"] },
  { without: "without a log line free of redaction", works: ["get by id", "refuse with 401"] },
  { without: "without refusals free of a stack", works: ["refuse with 400", "refuse with 401"] },
  { without: "without refusals of keys given, not thrown", works: ["refuse with 401"] },
  { without: "without middlewares as one", works: ["get by id", "refuse with 401"] },
  { without: "without bodies read at once", works: ["create"] },
  { without: "without going on at once", works: ["list 20", "get by id"], hiddenBy: KEPT },
  { without: "without commits in the turn of their requests", works: ["create"] },
  { without: "without savepoints spared", works: ["create"] },
];

/** What each technique brings: the service as it stands to the service without it, one technique at a time. */
export async function techniques(bench: Bench): Promise<void> {
  const rows: Record<string, Record<string, string>> = {};
  for (const { without, works, hiddenBy: base = [] } of TECHNIQUES) {
    const reduced: Contender = { name: "petstore", patches: [...base, without] };
    const lineup = { with: { name: "petstore", patches: base } satisfies Contender, without: reduced };
    const start = (running: DisposableStack) => lanesOf(running, lineup, bench.databases);
    const all = await measureAnew(bench, start, Object.fromEntries(works.map((work) => [work, WORKS[work]])));
    const gains: Record<string, string> = {};
    for (const [work, series] of Object.entries(all)) {
      gains[work] = show(ratioOf(series.with.perCpuSecond, series.without.perCpuSecond));
    }
    rows[without.replace(/^without /, "")] = gains;
  }
  rows["304 to who has the answer"] = await notModified(bench);
  console.log("\nwhat each technique brings: requests per second of CPU time, with it to without it");
  console.table(rows);
}

/** What it brings that a client which has the answer gets no body: the same requests with its tag to those without. */
async function notModified({ load, databases, effort }: Bench): Promise<Record<string, string>> {
  using lane = await startLane("this service", { name: "petstore" }, databases);
  const gains: Record<string, string> = {};
  for (const name of ["list 20", "list 100", "get by id"] as const) {
    const work: Work = WORKS[name];
    const response = await fetch(`http://127.0.0.1:${lane.port}${work.path}`, {
      headers: { Authorization: `Bearer ${lane.key}` },
    });
    await response.text();
    const conditional = { ...work, status: 304, ifNoneMatch: response.headers.get("ETag")! };
    const whole = await measure(load, [lane], [work], effort);
    const again = await measure(load, [lane], [conditional], effort);
    gains[name] = show(ratioOf(again["this service"].perCpuSecond, whole["this service"].perCpuSecond));
  }
  return gains;
}
