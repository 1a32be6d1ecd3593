import { styleText } from "node:util";
import { section } from "./report.ts";

/** The fields of a log line of the service that are shown. */
interface LogLine {
  level: number;
  msg: string;
  req?: { method: string; path: string };
  res?: { status: number };
  responseTime?: number;
  err?: { stack?: string };
  [detail: string]: unknown;
}

/** The levels of pino from warnings on. */
const LEVELS: Record<number, string> = { 40: "warning: ", 50: "error: ", 60: "error: " };

/** Prints the log of the service for people. Lines about requests wait until a report has ended, so that they stand below it. */
export class LogLines {
  readonly #print: (text: string) => void;
  #waiting: string[] | undefined;
  #hasRequests = true;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** Prints a line of JSON, and any other line as it is. */
  add(text: string): void {
    const line = logLineIn(text);
    if (line === undefined) return this.#print(printable(text));
    if (line.msg === "stopped") return; // the report says so
    if (line.responseTime !== undefined && !this.#hasRequests) return;
    if (line.req !== undefined && this.#waiting !== undefined) this.#waiting.push(textOf(line));
    else this.#print(textOf(line));
  }

  /** Lets lines about requests wait while a report is printed. */
  async during<Result>(report: () => Promise<Result>): Promise<Result> {
    this.#waiting = [];
    try {
      return await report();
    } finally {
      for (const text of this.#waiting) this.#print(text);
      this.#waiting = undefined;
    }
  }

  /** Hides the lines of requests, or shows them again. */
  toggle(): void {
    this.#hasRequests = !this.#hasRequests;
    this.#print(this.#hasRequests ? "Requests are shown; l hides them." : "Requests are hidden; l shows them.");
  }
}

function logLineIn(text: string): LogLine | undefined {
  try {
    const line = JSON.parse(text) as Partial<LogLine>;
    return typeof line.msg === "string" && typeof line.level === "number" ? (line as LogLine) : undefined;
  } catch {
    return undefined; // printed by code of the service, such as `console.log({ a: 1 })`
  }
}

/** The fields that every line has, or that are shown in words. */
const SHOWN = new Set(["level", "time", "pid", "hostname", "msg", "req", "err"]);

function textOf(line: LogLine): string {
  const { level, msg, req, res, responseTime, err } = line;
  const request = req === undefined ? [] : [`${req.method} ${req.path}`];
  if (responseTime !== undefined) {
    const status = msg === "request aborted" ? "aborted" : res?.status;
    return section("request", printable(`${request.join()}  ${status}  ${responseTime} ms`));
  }
  const details = Object.entries(line).filter(([name]) => !SHOWN.has(name));
  const about = [...request, ...(details.length === 0 ? [] : [JSON.stringify(Object.fromEntries(details))])];
  const text = [`${LEVELS[level] ?? ""}${msg}`, ...about].join(": ");
  const stack = (err?.stack ?? "").split("\n").filter((place) => place !== "");
  return section("log", printable(text), stack.map(printable));
}

/** Returns a string without control characters, which a client may have sent. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "�");
}

/** The styles of a report by what they mark; no pattern matches text that another one has styled. */
const STYLES: [RegExp, Parameters<typeof styleText>[0]][] = [
  [/^\d\d:\d\d:\d\d/gm, "dim"],
  [/(?<=^ {4})breaking|\d+ breaking|(?<= )[1-9]\d* (?:error|problem)s?(?=[ ,])|did not start|is not running/gm, "red"],
  [/(?<=^ {4})additive|(?<= )no errors(?=[ ,])|(?<=^ {2}service +)(?:re)?started/gm, "green"],
  [/still runs the previous (?:code|contract)|the contract is invalid|edited by hand/g, "yellow"],
  [/[\w./-]+:\d+:\d+(?= {2})/g, "cyan"],
  [/^ {2}\w+/gm, "bold"], // last, because another pattern starts with the name of a section
];

/** Returns a part of the report with colours if standard output shows them, and unchanged otherwise, as with `NO_COLOR`. */
export function styled(text: string): string {
  return STYLES.reduce((part, [pattern, style]) => part.replaceAll(pattern, (match) => styleText(style, match)), text);
}

/**
 * Runs the action of each pressed key until `signal` aborts. Returns false, and reads nothing, if standard input is no terminal.
 * The terminal sends Ctrl+C as a key meanwhile.
 */
export function readKeys(actions: Readonly<Record<string, () => void>>, signal: AbortSignal): boolean {
  const { stdin } = process;
  if (!stdin.isTTY) return false;
  stdin.setRawMode(true);
  stdin.setEncoding("utf8").on("data", (keys: string) => {
    for (const key of keys) actions[key]?.();
  });
  signal.addEventListener("abort", () => stdin.setRawMode(false).pause());
  return true;
}
