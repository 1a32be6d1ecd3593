import { extname } from "node:path";
import { isatty } from "node:tty";
import { Worker } from "node:worker_threads";
import { DELAY_MS, type Display, type Message, type Report } from "./progress-line.ts";

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
  const workerData: Display = { isTerminal: isTerminal() };
  const worker = new Worker(MODULE, { workerData });
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
