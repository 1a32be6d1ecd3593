import { readdirSync, readFileSync } from "node:fs";

/** Returns the CPU time of a process in seconds, as Linux counts it; 0 for a process that has ended. */
export function cpuSecondsOf(pid: number): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
    return nanoseconds.reduce((sum, time) => sum + Number(time), 0) / 1e9;
  } catch {
    return 0;
  }
}

/** Returns the CPU time of a process and its children in seconds. */
export function cpuSecondsOfAll(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  return [pid, ...children].reduce((sum, each) => sum + cpuSecondsOf(each), 0);
}

/** Returns the resident memory of a process in MB. */
export function megabytesOf(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return (Number(kibibytes) * 1024) / 1e6;
}
