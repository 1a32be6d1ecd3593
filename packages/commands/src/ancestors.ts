import { readFileSync } from "node:fs";

/** The processes between this one and the `npx` that started it. */
export interface Ancestors {
  /** Whether each of them still has the same parent, and so its parent still runs. */
  areAlive: () => boolean;
}

/** Reads the ancestors from `/proc`. Without `/proc` or `npx`, they always count as alive. */
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

/** Recognizes `npx` by the title that npm sets for its process. */
function isNpx(pid: number): boolean {
  return read(pid, "cmdline")?.startsWith("npm exec ") === true;
}

/** Reads the fourth field, which follows a name in parentheses that may contain any character: proc_pid_stat(5). */
function parentOf(pid: number): number | undefined {
  const [, parent] = /^\d+ \([^]*\) \S (\d+) /.exec(read(pid, "stat") ?? "") ?? [];
  return parent === undefined || parent === "0" ? undefined : Number(parent);
}

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined; // the process has ended, or there is no /proc
  }
}
