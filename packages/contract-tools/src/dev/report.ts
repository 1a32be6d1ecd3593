import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scriptCommand } from "@openapi-operations/command-line";
import { compatibilityCheck } from "openapi-contract/check";
import { type ContractChange, IMPACTS } from "openapi-contract/comparison";
import type { ContractProblem } from "openapi-contract/lint";
import { operationsOf } from "openapi-document";
import type { Contract } from "./contract.ts";
import { causesOf, fieldOf, kindOf, type TypeErrors } from "./type-errors.ts";
import type { Diagnostic } from "./typecheck.ts";

/** The most lines in a section; the first ones are enough to start with. */
const MAX_LINES = 12;

/** The most files that are listed for one cause of type errors. */
const MAX_FILES = 5;

/** The most characters of a line of the compiler. */
const MAX_LENGTH = 180;

/** The width of the kind of code. */
const LABEL = 11;

/** Formats a section of the report: its name, a summary, and lines below. */
export function section(name: string, text: string, lines: string[] = []): string {
  const shown =
    lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more`] : lines;
  return [`  ${name.padEnd(10)} ${text}`, ...shown.map((line) => `    ${line}`)].join("\n");
}

/** Formats the faults of the contract, each with file, line and column. */
export function problemsSection(problems: ContractProblem[]): string {
  return section("contract", counted(problems.length, "problem"), problemLines(problems));
}

/** Returns a string that two reports of one problem share, also when its line has moved. */
export function identityOf({ file, pointer, rule, message }: ContractProblem): string {
  return JSON.stringify([file, pointer, rule, message]);
}

/**
 * Formats the broken rules of style, which do not stop the generation. Warnings do not stop `contract check` either; `known`
 * ones, by `identityOf`, are only counted.
 */
export function styleSection(problems: ContractProblem[], known: ReadonlySet<string>): string {
  const isKnown = (problem: ContractProblem) => problem.kind === "warning" && known.has(identityOf(problem));
  const listed = problems.filter((problem) => !isKnown(problem));
  const styles = listed.filter(({ kind }) => kind !== "warning").length;
  const [added, before] = [listed.length - styles, problems.length - listed.length];
  const counts = [
    ...(styles > 0 ? [`${counted(styles, "place")} to correct`] : []),
    ...(added > 0 ? [counted(added, "new warning")] : []),
    ...(before > 0 ? [`${counted(before, "warning")} from before (${scriptCommand("contract lint")} lists them)`] : []),
  ];
  return section("style", counts.join(", "), problemLines(listed));
}

/** A line for each message, with its first place and the number of others. */
function problemLines(problems: ContractProblem[]): string[] {
  const groups = Map.groupBy(problems, ({ rule, message }) => JSON.stringify([rule, message]));
  return [...groups.values()].flatMap(([first, ...others]) => {
    const { file, line, column, message, rule, frame = [] } = first!;
    const name = rule === undefined ? "" : ` (${rule})`;
    const more = others.length === 0 ? "" : `, and ${counted(others.length, "more place")}`;
    return [`${file}:${line}:${column}  ${message}${name}${more}`, ...frame];
  });
}

/** Formats the changes since the last committed contract, each with its impact, and how long after the save they were known. */
export function changesSection(changes: ContractChange[], milliseconds: number): string {
  const after = `after ${seconds(milliseconds)}`;
  if (changes.length === 0) return section("contract", `unchanged since the last commit; ${after}`);
  const impacts = IMPACTS.flatMap((impact) => {
    const count = changes.filter((change) => change.impact === impact).length;
    return count === 0 ? [] : `${count} ${impact}`;
  });
  const lines = changes.map(({ impact, place, message, at }) => {
    return `${impact.padEnd(13)}  ${place}: ${message}${at === undefined ? "" : ` (${at.file}:${at.line})`}`;
  });
  return section(
    "contract",
    `${counted(changes.length, "change")} since the last commit: ${impacts.join(", ")}; ${after}`,
    lines,
  );
}

/** Formats the written files of the contract and of other packages, and how long after the save they were on disk. */
export function typesSection(written: string[], derived: string[], milliseconds: number): string {
  const packages = Map.groupBy(derived, (file) => file.slice(0, file.indexOf("/src/")));
  const parts = [
    ...written,
    ...Array.from(packages, ([folder, files]) => `${counted(files.length, "file")} of ${folder}`),
  ];
  const text = parts.length === 0 ? "nothing to write" : `wrote ${parts.join(", ")}`;
  return section("types", `${text}; on disk after ${seconds(milliseconds)}`);
}

/** Formats the errors of the compiler: each cause with its first place, and the places that follow, counted by file. */
export function diagnosticsSection(
  root: string,
  diagnostics: Diagnostic[],
  checked: number,
  milliseconds: number,
): string {
  const { causes, listed } = listedCauses(root, diagnostics);
  const isGrouped = causes < diagnostics.length;
  const summary =
    diagnostics.length === 0
      ? "no errors"
      : `${counted(diagnostics.length, "error")}${isGrouped ? ` with ${counted(causes, "cause")}` : ""}`;
  const rest = causes - listed.length;
  const lines = [
    ...listed.flat(),
    ...(rest > 0 ? [`… and ${counted(rest, isGrouped ? "more cause" : "more error")}`] : []),
  ];
  return section("typecheck", `${summary} in ${counted(checked, "package")}; after ${seconds(milliseconds)}`, lines);
}

/** Says what to do about the errors of the compiler. Errors with one cause count once. */
export function fixOf(root: string, diagnostics: Diagnostic[]): string {
  const { causes, listed } = listedCauses(root, diagnostics);
  const above = counted(listed.length, causes < diagnostics.length ? "cause" : "error");
  const rest = causes - listed.length;
  return rest > 0 ? `Fix the ${above} above, then the ${rest} others.` : `Fix the ${above} above.`;
}

/** Returns the number of causes, and the lines of those that fit into a section with one line for the others. */
function listedCauses(root: string, diagnostics: Diagnostic[]): { causes: number; listed: string[][] } {
  const causes = causesOf(diagnostics, root).map((cause) => linesOf(cause, root));
  if (causes.flat().length <= MAX_LINES) return { causes: causes.length, listed: causes };
  const listed = causes.filter((_, index) => causes.slice(0, index + 1).flat().length < MAX_LINES);
  return { causes: causes.length, listed };
}

function linesOf({ first, others }: TypeErrors, root: string): string[] {
  const { file, line, column, message } = first;
  const files = [...others].slice(0, others.size > MAX_FILES ? MAX_FILES - 1 : MAX_FILES);
  const rest = [...others.values()].slice(files.length);
  const places = counted(rest.flat().length, "place");
  return [
    `${labelOf(file, root)}  ${file}:${line}:${column}  ${shorten(message)}`,
    ...files.map(([other, [place, ...more]]) => {
      const at = `${other}:${place!.line}:${place!.column}`; // often the field itself, where the first place is its handler
      return `${labelOf(other, root)}    and ${counted(more.length + 1, "place")} in ${at}`;
    }),
    ...(rest.length === 0 ? [] : [`${"".padEnd(LABEL)}    and ${places} in ${rest.length} more files`]),
  ];
}

function labelOf(file: string, root: string): string {
  return kindOf(file, root).padEnd(LABEL);
}

/** The last section but one: what a glance at the terminal should tell. */
export function summarySection(findings: string, contract: string, service: string, milliseconds: number): string {
  return section("summary", `${findings}, ${contract}, the service ${service}; after ${seconds(milliseconds)}`);
}

/** `1 error`, `2 errors`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The words of a type of vitest, which say nothing about the code. */
const EXPECTATION = /"Expected: .*, Actual: /;

/**
 * Shortens a compiler message to its first line, the error, and its last line, the innermost reason. If the message names a field, or the
 * first line does not fit, the reason stands alone, after the field.
 */
function shorten(message: string[]): string {
  const [outer, ...inner] = message;
  const reason = inner.findLast((text) => !EXPECTATION.test(text));
  const field = fieldOf(message);
  if (field !== undefined) return short(withoutLongTypes(`${field}: ${reason}`));
  const error = EXPECTATION.test(outer!) ? "The type is not the expected one." : withoutLongTypes(outer!);
  if (reason === undefined) return short(error);
  return error.length > MAX_LENGTH ? short(withoutLongTypes(reason)) : `${error} ${short(withoutLongTypes(reason))}`;
}

function withoutLongTypes(text: string): string {
  return text.replaceAll(/'\{[^']{40,}'/g, "'{ … }'");
}

/** Cuts a string that is too long behind a word. */
function short(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, text.lastIndexOf(" ", MAX_LENGTH - 3) + 1 || MAX_LENGTH - 3).trimEnd()} …`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(2)} s`;
}

/** Names the breaking change, or the first of several. */
function breaks([first, ...others]: ContractChange[]): string {
  const count = others.length + 1;
  const subject =
    count === 1 ? `The change to ${first!.place} breaks` : `${count} changes, the first to ${first!.place}, break`;
  return `${subject} existing clients. Add to the contract instead of changing it, give an approval in openapi/comparison.yaml, or start a second contract.`;
}

const NOT_STORED =
  "If a table does not hold what the contract says, add a migration and the column: openapi/adding-an-operation.md#5-write-the-handler.";

/** Returns what to do about the errors of the compiler. */
export function fixes(root: string, diagnostics: Diagnostic[], contract: Contract | undefined): string[] {
  if (diagnostics.length === 0) return [];
  const isOfStorage = diagnostics.some(({ file }) => /^apps\/server\/src\/.*\.repository\.ts$/.test(file));
  const mayNeedMigration = isOfStorage && contract !== undefined && contract.changes.length > 0;
  return [fixOf(root, diagnostics), ...(mayNeedMigration ? [NOT_STORED] : [])];
}

/** Returns the command that writes a stub of a missing handler, if there is one. */
export function stubCommand(diagnostics: Diagnostic[], contract: Contract | undefined): string[] {
  const ids = new Set(contract && operationsOf(contract.document).map(({ id }) => id));
  const id = diagnostics
    .filter(({ file }) => file.startsWith("apps/server/src/"))
    .flatMap(({ message }) =>
      Array.from(message.join("\n").matchAll(/'(\w+)' is missing in type/g), ([, name]) => name!),
    )
    .find((name) => ids.has(name));
  return id === undefined ? [] : [`To create a stub of the handler: ${scriptCommand(`scaffold ${id}`)}`];
}

/** Returns the work on the contract before a commit: what `contract check` would find, except generated files. */
export async function remainingInContract(contract: Contract, contractPath: string): Promise<string[]> {
  const { document, changes, problems } = contract;
  const { findings, changes: sinceRelease } = await compatibilityCheck(document, contractPath);
  const breaking = changes.filter(({ impact }) => impact === "breaking");
  const isAccepted = sinceRelease !== undefined && findings.length === 0; // by the version
  const styles = problems.filter(({ kind }) => kind === "style").length;
  return [
    ...(breaking.length > 0 && !isAccepted ? [breaks(breaking)] : []),
    ...findings.map(({ message }) => message),
    ...(styles > 0 ? [`Correct the ${counted(styles, "style error")}, which contract check rejects.`] : []),
  ];
}

/** Returns the handlers to write before a commit. */
export function remainingStubs(root: string): string[] {
  const [first, ...others] = stubsIn(root);
  if (first === undefined) return [];
  const stub = `Write the handler ${first.id} in ${first.file}: its stub responds with 501.`;
  return others.length === 0 ? [stub] : [stub, `${counted(others.length, "more handler")} like it.`];
}

/** A handler that is not written yet: its operation, and its file from the root of the repository. */
interface Stub {
  id: string;
  file: string;
}

/** A line of a handler map that `scaffold` or `create-service` has written. */
const STUB = /^ +(?:([\w$]+)|"((?:[^"\\]|\\.)+)"): stub\(\),$/gm;

/** Returns the handlers of the service that are stubs, which respond with 501. */
function stubsIn(root: string): Stub[] {
  const files = globSync("apps/server/src/resources/**/*.handlers.ts", { cwd: root }).toSorted();
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return Array.from(text.matchAll(STUB), ([, name, quoted]) => ({ id: name ?? quoted!, file }));
  });
}
