import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContractChange } from "@platform/contract-tools/comparison";
import type { ContractProblem } from "@platform/contract-tools/lint";
import { IMPACTS } from "@platform/contract-tools/ratings";
import type { Diagnostic } from "./typecheck.ts";

/** The most lines in a section; the first ones are enough to start with. */
const MAX_LINES = 12;

/** The name of the client in an import. */
const CLIENT = /"@[\w.-]+\/client[/"]/;

/** Formats a section of the report: its name, a summary, and lines below. */
export function section(name: string, text: string, lines: string[] = []): string {
  const shown =
    lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more`] : lines;
  return [`  ${name.padEnd(10)} ${text}`, ...shown.map((line) => `    ${line}`)].join("\n");
}

/** Formats the problems of the contract, each with file, line and column. */
export function problemsSection(problems: ContractProblem[]): string {
  const lines = problems.map(({ file, line, column, message, rule }) => {
    return `${file}:${line}:${column}  ${message}${rule === undefined ? "" : ` (${rule})`}`;
  });
  return section("contract", counted(problems.length, "problem"), lines);
}

/** Formats the changes since the last committed contract, each with its impact. */
export function changesSection(changes: ContractChange[]): string {
  if (changes.length === 0) return section("contract", "unchanged since the last commit");
  const impacts = IMPACTS.flatMap((impact) => {
    const count = changes.filter((change) => change.impact === impact).length;
    return count === 0 ? [] : `${count} ${impact}`;
  });
  const lines = changes.map(({ impact, place, message, at }) => {
    return `${impact.padEnd(13)}  ${place}: ${message}${at === undefined ? "" : ` (${at.file}:${at.line})`}`;
  });
  return section(
    "contract",
    `${counted(changes.length, "change")} since the last commit: ${impacts.join(", ")}`,
    lines,
  );
}

/** Formats the written files, and how long after the save they were on disk. */
export function typesSection(written: string[], milliseconds: number): string {
  const text = written.length === 0 ? "nothing to write" : `wrote ${written.join(", ")}`;
  return section("types", `${text}; on disk after ${seconds(milliseconds)}`);
}

/** The errors of the compiler: first the handlers and what surrounds them, then the uses of the client, then all else. */
export function diagnosticsSection(
  root: string,
  diagnostics: Diagnostic[],
  checked: number,
  milliseconds: number,
): string {
  const groups: Record<string, Diagnostic[]> = { handlers: [], "client uses": [], "other code": [] };
  for (const diagnostic of diagnostics) groups[kindOf(root, diagnostic)]!.push(diagnostic);
  const lines = Object.entries(groups).flatMap(([kind, group]) =>
    group.map(
      ({ file, line, column, message }) => `${kind.padEnd(11)}  ${file}:${line}:${column}  ${shorten(message)}`,
    ),
  );
  const summary = diagnostics.length === 0 ? "no errors" : counted(diagnostics.length, "error");
  return section("typecheck", `${summary} in ${counted(checked, "package")}; after ${seconds(milliseconds)}`, lines);
}

/** The last section but one: what a glance at the terminal should tell. */
export function summarySection(findings: string, changes: number, service: string, milliseconds: number): string {
  const contract = changes === 0 ? "no changes" : counted(changes, "change");
  return section("summary", `${findings}, ${contract}, the service ${service}; after ${seconds(milliseconds)}`);
}

/** `1 error`, `2 errors`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function kindOf(root: string, { file }: Diagnostic): string {
  if (file.startsWith("apps/server/src/")) return "handlers";
  if (file.startsWith("packages/client/")) return "client uses";
  const path = join(root, file);
  return existsSync(path) && CLIENT.test(readFileSync(path, "utf8")) ? "client uses" : "other code";
}

/** Shortens a compiler message to its first line, the error, and its last line, the innermost reason. */
function shorten(message: string[]): string {
  const [first, last] = [message[0]!, message.at(-1)!].map((text) => text.replaceAll(/'\{[^']{40,}'/g, "'{ … }'"));
  const short = (text: string) => (text.length > 180 ? `${text.slice(0, 177)}…` : text);
  return message.length === 1 ? short(first!) : `${short(first!)} ${short(last!)}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(2)} s`;
}
