/** The thread of `withProgress`, which shows progress also while the main thread is busy. */
import { statSync, writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type Amount, type Count, DELAY_MS, type Display, lineOf, type Message } from "./progress.ts";

/** Removes the line of the terminal that the cursor is on. */
const CLEAR = "\r\u001B[K";
/** Keeps a line longer than the terminal from continuing on the next one, which would stay. */
const [CUT, WRAP] = ["\u001B[?7l", "\u001B[?7h"];

const REDRAW_MS = 200;
/** The time between lines of a log: a tenth of the time passed, within these limits. */
const LOG_MS = { least: 5_000, most: 60_000 };

/** The current task, and when it and its amount were reported. */
interface Current {
  task: string;
  start: number;
  first?: Count | undefined;
  amount?: Amount | undefined;
  reported: number;
}

const { isTerminal } = workerData as Display;
const start = performance.now();
let current: Current | undefined;
let timer = setTimeout(show, DELAY_MS);

parentPort!.on("message", (message: Message) => {
  if (message === "end") return end();
  const { task, amount } = message;
  const reported = performance.now();
  if (task !== current?.task) current = { task, start: reported, reported };
  Object.assign(current, { amount, first: current.first ?? countOf(amount), reported });
});

function show(): void {
  const now = performance.now();
  const next = Math.min(Math.max((now - start) / 10, LOG_MS.least), LOG_MS.most);
  timer = setTimeout(show, isTerminal ? REDRAW_MS : next);
  if (current === undefined) return;
  const { task, amount, first } = current;
  const seconds = (now - current.start) / 1_000;
  const isFile = amount !== undefined && "file" in amount; // read now
  const lastSeconds = isFile ? seconds : (current.reported - current.start) / 1_000;
  const line = lineOf({ task, seconds, first, last: countOf(amount), lastSeconds });
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
