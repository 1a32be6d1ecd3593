/** The thread of `withProgress`, which shows progress also while the main thread is busy. */
import { statSync, writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type Amount, type Count, DELAY_MS, lineOf, type Message } from "./progress.ts";

/** Removes the line of the terminal that the cursor is on. */
const CLEAR = "\r\u001B[K";
/** Keeps a line longer than the terminal from continuing on the next one, which would stay. */
const [CUT, WRAP] = ["\u001B[?7l", "\u001B[?7h"];

const REDRAW_MS = 200;
/** The time between lines of a log: a tenth of the time passed, within these limits. */
const LOG_MS = { least: 5_000, most: 60_000 };

const { isTerminal } = workerData as { isTerminal: boolean };
const start = performance.now();
let current: { task: string; start: number; amount: Amount | undefined } | undefined;
let timer = setTimeout(show, DELAY_MS);

parentPort!.on("message", (message: Message) => {
  if (message === "end") return end();
  const { task, amount } = message;
  current = { task, amount, start: task === current?.task ? current.start : performance.now() };
});

function show(): void {
  const now = performance.now();
  const next = Math.min(Math.max((now - start) / 10, LOG_MS.least), LOG_MS.most);
  timer = setTimeout(show, isTerminal ? REDRAW_MS : next);
  if (current === undefined) return;
  const line = lineOf(current.task, (now - current.start) / 1_000, countOf(current.amount));
  write(isTerminal ? `${CLEAR}${CUT}${line}${WRAP}` : `${line}\n`);
}

function end(): void {
  clearTimeout(timer);
  if (isTerminal) write(CLEAR);
  parentPort!.close();
}

function countOf(amount: Amount | undefined): Count | undefined {
  if (amount === undefined || !("file" in amount)) return amount;
  const { size = 0 } = statSync(amount.file, { throwIfNoEntry: false }) ?? {};
  return { done: size, total: amount.bytes, unit: "bytes" };
}

/** Standard error may be closed or full, which is no reason to end the work. */
function write(text: string): void {
  try {
    writeSync(2, text);
  } catch {}
}
