import { extname } from "node:path";
import { isatty } from "node:tty";
import { Worker } from "node:worker_threads";

/** An amount, measured. */
export type Count = Exclude<Amount, { file: string }>;

const MIB = 2 ** 20;

/** Returns one line, such as `Copying pets: 20,000 of 80,000 rows (25%), 12 s` or `Applying 0002, 5 s`. */
export function lineOf(task: string, seconds: number, amount?: Count): string {
  const passed = seconds < 1 ? "" : `, ${durationOf(Math.floor(seconds))}`;
  if (amount === undefined) return task + passed;
  const { done, total } = amount;
  const share = total === 0 ? 1 : Math.min(done / total, 1);
  return `${task}: ${amountOf(amount)} (${Math.floor(100 * share)}%)${passed}`;
}

function amountOf({ done, total, unit }: Count): string {
  if (unit !== "bytes") return `${integerText(done)} of ${integerText(total)} ${unit}`;
  return `${integerText(done / MIB)} of ${integerText(total / MIB)} MiB`;
}

/** Loads the data of languages only once there is progress to show, because loading it slows every start. */
function integerText(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 0 });
}

/** Returns a duration such as `5 s`, `2 min 5 s` or `3 h 20 min`. */
function durationOf(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How much of a task is done. Of a file that is being written, its size tells. */
export type Amount = { done: number; total: number; unit: string } | { file: string; bytes: number };

/** Reports the current task, such as "Copying pets", and how much of it is done, as often as that changes. */
export type Report = (task: string, amount?: Amount) => void;

/** The time before progress is shown. */
export const DELAY_MS = 1_000;

/** The current task, or the end of the work. */
export type Message = { task: string; amount: Amount | undefined } | "end";

/** The worker's module beside this one, in TypeScript or compiled. */
const MODULE = new URL(`./progress-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Runs `work` and shows the reported progress on standard error, if the work takes longer than a second. On a terminal, one
 * line is rewritten and removed at the end. Elsewhere, a new line follows every few seconds. A thread shows it, because
 * SQLite blocks the main thread during a statement.
 */
export async function withProgress<Result>(work: (report: Report) => Result | Promise<Result>): Promise<Result> {
  let display: ReturnType<typeof startDisplay> | undefined;
  try {
    return await work((task, amount) => (display ??= startDisplay()).show({ task, amount }));
  } finally {
    await display?.end();
  }
}

function startDisplay() {
  const start = performance.now();
  const worker = new Worker(MODULE, { workerData: { isTerminal: isTerminal() } });
  worker.on("error", () => {}); // the work goes on without its progress
  const exited = new Promise<unknown>((done) => worker.once("exit", done));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  const post = (message: Message) => worker.postMessage(message);
  return {
    show: post,
    end: () => {
      if (performance.now() - start < DELAY_MS) return worker.terminate(); // nothing is shown yet
      post("end");
      return exited;
    },
  };
}

/** Whether standard error is a terminal that can rewrite a line, and whose output is not kept as a log. */
function isTerminal(): boolean {
  return isatty(2) && process.env["TERM"] !== "dumb" && process.env["CI"] === undefined;
}
