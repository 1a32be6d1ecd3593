import { type ChildProcess, fork } from "node:child_process";
import { delimiter, join } from "node:path";

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
}

/** The message of `run-tests.ts` after each test file. The result follows the last one. */
export const FILE_END = "file end";
type FileEnd = typeof FILE_END;

/** The result of a run that was killed at its timeout. */
export const TIMEOUT = "time is over" as const;

/** The milliseconds that a run may take to list its test files, or to end after the last. */
const END_LIMIT = 60_000;

/**
 * Runs test files in a process group of their own. `limits` has the milliseconds for each file, in their order. If one
 * takes longer, the whole group is killed and there is no result.
 */
export async function runTests(
  { root, folder, temporary }: Sandbox,
  request: Request,
  { limits = request.files?.map(() => 900_000) ?? [], env = {} }: { limits?: number[]; env?: NodeJS.ProcessEnv } = {},
): Promise<Result | typeof TIMEOUT | "ended early"> {
  const cwd = join(root, folder);
  const bins = [join(cwd, "node_modules/.bin"), join(root, "node_modules/.bin")];
  // The program of the copy, so that edits to the working tree do not affect a run.
  const child = fork(join(root, "packages/laboratory/mutation/run-tests.ts"), {
    cwd,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: {
      ...process.env,
      PATH: [...bins, process.env["PATH"]].join(delimiter),
      TMPDIR: temporary,
      ...env,
    },
  });
  running.add(child);
  child.send(request);
  const { promise: outcome, resolve } = Promise.withResolvers<Result | typeof TIMEOUT | "ended early">();
  const remaining = [...limits];
  const startTimer = (): NodeJS.Timeout => setTimeout(resolve, remaining.shift() ?? END_LIMIT, TIMEOUT);
  let timer = startTimer();
  child.on("message", (message: FileEnd | Result) => {
    if (message !== FILE_END) return resolve(message);
    clearTimeout(timer);
    timer = startTimer();
  });
  child.once("exit", () => resolve("ended early"));
  try {
    return await outcome;
  } finally {
    clearTimeout(timer);
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
