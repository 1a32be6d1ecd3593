import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** A test file: its path from the package, followed by its Vitest project if that has a name. */
export interface TestFile {
  name: string;
}

/** The request to `run-tests.ts`. Without files, it lists all. */
export interface Request {
  files?: TestFile[];
  stopAtFailure: boolean;
}

/** The result of `run-tests.ts`: the requested files with their failures, or the list of all files. */
export interface Result {
  files: (TestFile & { milliseconds?: number; failure?: string | undefined })[];
  unhandled: string[];
}

/** A package in a copy of the repository, whose files may be changed. */
export interface Sandbox {
  root: string;
  /** The folder of the package, from the root. */
  folder: string;
  /** The folder for temporary files of its tests. */
  temporary: string;
  /** Whether the package has only long tests, which `pnpm test` leaves out. */
  hasLongTestsOnly: boolean;
}

/** The result of a run that was killed at its timeout. */
export const TIMEOUT = "time is over" as const;

/** Runs test files in a process group of their own. At the timeout the whole group is killed and there is no result. */
export async function runTests(
  { root, folder, temporary, hasLongTestsOnly }: Sandbox,
  request: Request,
  { milliseconds = 900_000, env = {} }: { milliseconds?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<Result | typeof TIMEOUT | "ended early"> {
  const cwd = join(root, folder);
  const bins = [join(cwd, "node_modules/.bin"), join(root, "node_modules/.bin")];
  // The program of the copy, so that edits to the working tree do not affect a run.
  const child = fork(join(root, "packages/commands/src/mutation/run-tests.ts"), {
    cwd,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: {
      ...process.env,
      PATH: [...bins, process.env["PATH"]].join(delimiter),
      TMPDIR: temporary,
      ...(hasLongTestsOnly && { LONG_TESTS: "1" }),
      ...env,
    },
  });
  running.add(child);
  child.send(request);
  const left = new AbortController();
  const { signal } = left;
  const outcomes = [
    once(child, "message", { signal }).then(([result]) => result as Result),
    once(child, "exit", { signal }).then(() => "ended early" as const),
    setTimeout(milliseconds, TIMEOUT, { signal }),
  ];
  try {
    return await Promise.race(outcomes);
  } finally {
    left.abort();
    await Promise.allSettled(outcomes);
    end(child);
    running.delete(child);
  }
}

const running = new Set<ChildProcess>();

/** Kills every test run. */
export function endTestRuns(): void {
  for (const child of running) end(child);
}

function end(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
