import { ratioOf, show, type Spread, spreadOf } from "../measuring/figures.ts";
import { installPeers } from "../measuring/install.ts";
import { createProgram, wholeNumber, withProgress } from "@platform/command-line";
import { canPin } from "../measuring/process.ts";
import type { Contender } from "./contenders.ts";
import type { DocumentName } from "./documents.ts";
import { printForms } from "./forms.ts";
import { jsonTimes } from "./json.ts";
import { measureOperations } from "./operations.ts";
import { heapAfter, startTimes } from "./start.ts";

const program = createProgram("bench express-operations", {
  description: "Measures requests, starts, memory, forms and JSON, beside other libraries.",
  folder: import.meta.dirname,
}).option("--rounds <n>", "the number of rounds", wholeNumber(1), 9);
const { rounds: ROUNDS } = program.parse().opts<{ rounds: number }>();

console.log(canPin ? "Servers on core 0, load on core 1." : "Processes are not pinned: ratios are rough.");
const series = await measureOperations(ROUNDS);
type Rate = "perSecond" | "perCpuSecond";
const of = (contender: Contender, document: DocumentName, rate: Rate) =>
  series.find((one) => one.contender === contender && one.document === document)![rate];

const starts = await withProgress((report) => {
  report("Starting with GitHub's document");
  return startTimes(5);
});
console.log("\nGoals for requests of one operation, by time on the clock and by CPU time of the server");
const goal = (atLeast: number, ratio: (rate: Rate) => Spread) => ({
  goal: `≥ ${atLeast}`,
  clock: show(ratio("perSecond")),
  CPU: show(ratio("perCpuSecond")),
});
console.table({
  "ours, GitHub's document to 3 operations": goal(0.95, (rate) =>
    ratioOf(of("ours", "github", rate), of("ours", "3", rate)),
  ),
  "ours to plain EOV, 3 operations": goal(2, (rate) => ratioOf(of("ours", "3", rate), of("eov", "3", rate))),
  "ours to plain EOV, 1000 operations": goal(5, (rate) => ratioOf(of("ours", "1000", rate), of("eov", "1000", rate))),
  "seconds from start to first response, GitHub's document": {
    goal: "< 1",
    clock: show(spreadOf(starts)),
  },
});

const heap = await withProgress((report) => {
  report("Using the operations of GitHub's document");
  return heapAfter([0, 1, 10, 100]);
});
console.log("\nHeap with GitHub's document, in MB, by operations used");
console.table(Object.fromEntries([...heap].map(([used, mb]) => [used, mb.toFixed(1)])));

console.log(`\nMicroseconds to read JSON: median of ${ROUNDS} rounds (lowest–highest)`);
console.table(
  [0, 1, 40].map((lines) => {
    const { bytes, written, spaced } = jsonTimes(lines, ROUNDS);
    return {
      bytes,
      "as JSON.stringify writes it": show(spreadOf(written)),
      "with white space": show(spreadOf(spaced)),
      "spaced to written": show(ratioOf(spaced, written)),
    };
  }),
);

await installPeers();
await printForms(ROUNDS);
