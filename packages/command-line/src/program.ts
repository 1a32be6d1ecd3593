import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { format } from "node:util";
import { Command, type HelpContext, InvalidArgumentError, type ParseOptionsResult } from "commander";

/** The beginning of a command of this repository that works without pnpm on the `PATH`. */
export const PNPM = "npx -y pnpm@12.21.0";

/**
 * Returns the command that runs a script of the root, such as `contract check`, with the package manager that has started this
 * process: npm, Yarn, or a pnpm on the `PATH`. If none has, the command begins with `PNPM`.
 */
export function scriptCommand(words: string): string {
  const { npm_config_user_agent: agent = "", npm_lifecycle_event: script = "npx" } = process.env;
  const [, manager = "", version = ""] = /^(npm|pnpm|yarn)\/(\S+)/.exec(agent) ?? [];
  if (script === "npx" || manager === "" || PNPM.endsWith(`${manager}@${version}`)) return `${PNPM} ${words}`;
  if (manager === "npm") return `npm run ${words.replace(/ (?=--)/, " -- ")}`; // npm takes other options for its own
  return `${manager} ${manager === "yarn" ? words.replace(/^--silent /, "") : words}`; // Yarn prints the output of a script alone
}

/** The description of a program for its `--help`. */
export interface ProgramDescription {
  description: string;
  /** The folder of the program's module, in the package whose version `--version` prints. */
  folder: string;
  /** Command lines that users may copy. */
  examples?: string[];
}

/**
 * Creates the command line of a program. `--help` and `--version` print to standard output and exit with 0. An unknown option
 * or command, and an invalid or missing argument, print a line that names it to standard error, and exit with 2.
 */
export function createProgram(name: string, { description, folder, examples = [] }: ProgramDescription): Command {
  const program = new StrictCommand(name)
    .description(description)
    .version(versionOf(folder), "--version", "print the version")
    .helpOption("-h, --help", "print this text")
    .configureOutput({
      writeOut: (text) => process.stdout.write(visible(text)),
      writeErr: (text) => process.stderr.write(visible(text)),
    })
    .showHelpAfterError("Add --help to see the usage.")
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? codeAfterOutput() : 2)); // Commander has printed the error
  if (examples.length > 0)
    program.addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`);
  return program;
}

class StrictCommand extends Command {
  override createCommand(name?: string): Command {
    return new StrictCommand(name);
  }

  /** Names a missing command before the usage. */
  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context === "object" && context.error)
      this.configureOutput().writeErr!(`error: missing command of '${this.name()}'\n\n`);
    return super.help(context as HelpContext);
  }

  /** Names an unknown option before a missing one, since the unknown one is often the missing one, misspelt. */
  override parseOptions(words: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(words);
    if (parsed.unknown.length > 0) for (const option of this.options) option.makeOptionMandatory(false);
    return parsed;
  }
}

/** How a program runs. */
export interface RunOptions {
  /** The arguments; default: those of the process. */
  args?: string[];
  /** Whether the message of an error explains it without the stack; default: all but mistakes in the code. */
  isExpected?: (error: unknown) => boolean;
  /** Whether the program goes on, and succeeds, though its output is lost; default: never. */
  mayLoseOutput?: () => boolean;
}

/**
 * Runs a program. An error is printed to standard error, and the exit code is 1. The program's console escapes control characters,
 * since arguments, documents and rows may contain some.
 */
export async function runProgram(
  program: Command,
  { args = process.argv.slice(2), isExpected = isNoMistake, mayLoseOutput = () => false }: RunOptions = {},
): Promise<void> {
  reportLostOutput(mayLoseOutput);
  for (const method of ["log", "error"] as const) {
    const print = console[method];
    console[method] = (...values) => print(visible(format(...values)));
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    console.error(isExpected(error) ? (error as Error).message : error);
    process.exitCode = 1;
  }
}

/** Returns the exit code of a program that has printed its usage or version: 1 if that is lost. */
function codeAfterOutput(): number {
  const error: NodeJS.ErrnoException | null = process.stdout.errored;
  if (error === null || error.code === "EPIPE") return 0;
  console.error(lostOutput(error));
  return 1;
}

/** Without a listener, Node would end the process with a stack. */
function reportLostOutput(mayLoseOutput: () => boolean): void {
  let isReported = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return; // the reader has closed the pipe, as in `keys list | head -1`
    if (!isReported) console.error(lostOutput(error));
    isReported = true;
    if (!mayLoseOutput()) process.exitCode = 1;
  });
}

function lostOutput({ message }: Error): string {
  return `Standard output cannot be written; its content is lost (${message}).`;
}

function isNoMistake(error: unknown): boolean {
  return error instanceof Error && !(error instanceof TypeError || error instanceof ReferenceError);
}

/** Returns the version of the package of a folder; `0.0.0` without one. A manifest without a version belongs to no package. */
function versionOf(folder: string): string {
  const file = join(folder, "package.json");
  const manifest = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { version?: string }) : {};
  if (manifest.version !== undefined) return manifest.version;
  return dirname(folder) === folder ? "0.0.0" : versionOf(dirname(folder));
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Returns a parser of whole numbers of at least `least`. */
export function wholeNumber(least = 0): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`Give a whole number of at least ${least}.`);
  };
}

const DURATION = /^([1-9]\d{0,4})([smhdw])$/;

/** Whether the string is a duration such as `90d`. */
export function isDuration(text: string): boolean {
  return DURATION.test(text);
}

/** Parses a duration such as `90d` into milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
  throw new InvalidArgumentError("Give a whole number and one of s, m, h, d, w, such as 90d.");
}

/** Parses a duration before now, or a date or time of RFC 3339, into milliseconds since 1970. */
export function parseTime(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)) {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
  } else if (isDuration(text)) return Date.now() - parseDuration(text);
  throw new InvalidArgumentError("Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z.");
}

/** The control characters but tab and line breaks, and the characters that reorder a line (Unicode's bidirectional controls). */
const CONTROLS = /(?!\t|\r?\n)[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Returns a string whose control characters are written as in JSON, such as `\u001b`, so that they cannot change a terminal. */
export function visible(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Prints a value as JSON. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

/** Prints rows in aligned columns. The first row contains the titles. Line breaks in a cell are escaped. */
export function printTable(cells: string[][]): void {
  const rows = cells.map((row) =>
    row.map((cell) => visible(cell).replaceAll(/[\t\r\n]/g, (one) => JSON.stringify(one).slice(1, -1))),
  );
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** Formats a time in milliseconds since 1970 as RFC 3339, in UTC. */
export function isoDate(time: number): string {
  return new Date(time).toISOString();
}

/** Formats a number of bytes, such as `512 B` or `24.4 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const exponent = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** exponent).toFixed(exponent === 0 ? 0 : 1)} ${units[exponent]}`;
}
