import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** How many processes work, with how many megabytes each, and the milliseconds of a task. */
export interface Workers<Task> {
  jobs: number;
  megabytes: number;
  limitOf: (task: Task) => number;
}

/**
 * Has processes of a module work on tasks: each task is a message, and its result is the reply. The result is undefined if the
 * process ends or takes too long; another process goes on.
 */
export async function inWorkers<Task extends string | object>(
  module: URL,
  tasks: Task[],
  { jobs, megabytes, limitOf }: Workers<Task>,
  onResult: (task: Task, result: unknown) => void,
): Promise<void> {
  const waiting = tasks.values();
  const work = async (): Promise<void> => {
    let worker: ChildProcess | undefined;
    for (const task of waiting) {
      worker ??= fork(fileURLToPath(module), {
        execArgv: [`--max-old-space-size=${megabytes}`],
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      });
      const result = await resultOf(worker, task, limitOf(task));
      if (result === undefined) {
        worker.kill("SIGKILL");
        worker = undefined;
      }
      onResult(task, result);
    }
    worker?.kill();
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

function resultOf(worker: ChildProcess, task: string | object, limit: number): Promise<unknown> {
  return new Promise((resolve) => {
    const end = (result?: unknown): void => {
      clearTimeout(timer);
      worker.removeAllListeners();
      resolve(result);
    };
    const timer = setTimeout(end, limit);
    worker.once("message", end);
    worker.once("exit", () => end());
    worker.send(task);
  });
}
