/** Measures streams and uploads. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ratioOf, show, spreadOf } from "../../measuring/figures.ts";
import { canPin } from "../../measuring/process.ts";
import { installPeers } from "../../measuring/install.ts";
import { PNPM, createProgram, wholeNumber } from "@platform/command-line";
import { JOBS, SIZE } from "./jobs.ts";
import { CONTENDERS, measureStreams } from "./measure.ts";

const program = createProgram("bench streams", {
  description: "Measures streams and uploads beside other libraries.",
  folder: import.meta.dirname,
  examples: [`${PNPM} bench streams 3 download`],
})
  .argument("[rounds]", "the number of rounds", wholeNumber(1), 9)
  .argument("[title]", "a part of the titles of the measurements", "")
  .parse();
const [ROUNDS, title] = program.processedArgs as [number, string];
await installPeers();
const jobs = JOBS.filter((job) => job.title.includes(title));

console.log(canPin ? "Servers on core 0, load on core 1." : "Processes are not pinned: ratios are rough.");
const folder = mkdtempSync(join(tmpdir(), "streams-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
const file = join(folder, "file.bin");
writeFileSync(file, "");
truncateSync(file, SIZE);

const goals: Record<string, object> = {};
for await (const { job, results } of measureStreams(jobs, file, ROUNDS)) {
  console.log(`\n${job.title}, ${job.unit}: median of ${ROUNDS} rounds (lowest–highest)`);
  const digits = job.unit === "ms to the first byte" ? 2 : 0;
  console.table(
    CONTENDERS.map((contender) => {
      const { rates, cpuRates, memory, heap } = results[contender];
      return {
        "served by": contender,
        [job.unit]: show(spreadOf(rates), digits),
        "to bare Express": show(ratioOf(rates, results.express.rates)),
        "the same by CPU time": show(ratioOf(cpuRates, results.express.cpuRates)),
        "peak RSS, MB": memory.toFixed(0),
        "peak heap, MB": heap.toFixed(0),
      };
    }),
  );
  goals[job.title] = {
    goal: job.unit === "ms to the first byte" ? "≤ 1.1" : "≥ 0.9",
    clock: show(ratioOf(results.ours.rates, results.express.rates)),
    CPU: show(ratioOf(results.ours.cpuRates, results.express.cpuRates)),
  };
}
console.log("\nGoals: express-operations to bare Express");
console.table(goals);
