import { readFileSync } from "node:fs";

/** The processes between this one and the `npx` that it was started by. */
export interface Ancestors {
  /** Whether each of them still has the parent that it had. */
  areAlive: () => boolean;
}

/** Reads them from `/proc`. Where there is none, or no `npx`, there is nothing to lose, and they count as there. */
export function ancestorsUpToNpx(): Ancestors {
  const parents = new Map<number, number>();
  let pid = process.pid;
  while (!isNpx(pid)) {
    const parent = parentOf(pid);
    if (parent === undefined) return { areAlive: () => true };
    parents.set(pid, parent);
    pid = parent;
  }
  return { areAlive: () => [...parents].every(([child, parent]) => parentOf(child) === parent) };
}

/** By the title that npm gives its process. */
function isNpx(pid: number): boolean {
  return read(pid, "cmdline")?.startsWith("npm exec ") === true;
}

/** The fourth field, after a name in parentheses that may hold anything: proc_pid_stat(5). */
function parentOf(pid: number): number | undefined {
  const [, parent] = /^\d+ \([^]*\) \S (\d+) /.exec(read(pid, "stat") ?? "") ?? [];
  return parent === undefined || parent === "0" ? undefined : Number(parent);
}

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined; // it has ended, or there is no /proc
  }
}
