import { getHeapStatistics } from "node:v8";

/** The CPU time and the memory of a server since its start. */
export interface Usage {
  cpuSeconds: number;
  /** Megabytes. */
  peakMemory: number;
  /** Megabytes, of samples. */
  peakHeap: number;
}

/** One contender in a process of its own: sends its port, and its usage when asked. */
const [contender, path] = process.argv.slice(2) as [string, string];
const { listen } = (await import(`./${contender}.ts`)) as typeof import("./express.ts");
listen(path, (port) => process.send!(port));

let peakHeap = 0;
const sample = (): void => void (peakHeap = Math.max(peakHeap, getHeapStatistics().used_heap_size / 1e6));
setInterval(sample, 20);
process.on("message", () => {
  sample();
  const { user, system } = process.cpuUsage();
  const peakMemory = (process.resourceUsage().maxRSS * 1024) / 1e6;
  process.send!({ cpuSeconds: (user + system) / 1e6, peakMemory, peakHeap } satisfies Usage);
});
process.on("disconnect", () => process.exit());
