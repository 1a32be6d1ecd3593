/** The commands on a contract: check it, compare it before a merge, and release it. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { createProgram } from "@openapi-operations/command-line";
import { type Command, Option } from "commander";
import { bundle, type BundledDocument, CONTRACT_FILE } from "./bundle.ts";
import { CHECK_FORMATS, type CheckFormat, hasPassed } from "./check-formats.ts";
import { formatCheckReports, formatEntryReports, type Report } from "./contract-reports.ts";
import { type ContractEntry, selectedContracts, type Selection, wholeChange } from "./contracts.ts";
import { CHANGES_FORMATS, type ChangesFormat } from "./output.ts";
import { changelogBeside, nextEntry, readChangelog, updatedChangelog } from "./release/changelog.ts";
import { type Check, checkContract, lintContract } from "./release/check.ts";
import { type ContractChange, contractChanges, type Impact, IMPACTS } from "./comparison/compare.ts";
import { entriesOf, type Entry } from "./comparison/entries.ts";
import { contractAt, type Side } from "./comparison/sides.ts";
import { CONTRACT_LIST, ROOT } from "./paths.ts";
import { reportOnPullRequest, summarize } from "./pull-request.ts";
import { lastReleased, release, releasedBeside } from "./release/released.ts";

/** The program that has the commands. */
export interface ContractProgram {
  /** Its name in the usage. */
  name: string;
  /** How it is called, for the examples. */
  call: string;
  /** The folder of its module, in the package whose version `--version` prints. */
  folder: string;
  /** What the program does with a contract besides. */
  additions?: {
    /** The option of `check` and `release` that the functions read. */
    option: Option;
    checks: (document: BundledDocument, options: ContractOptions) => Promise<Check>[];
    afterRelease: (document: BundledDocument, options: ContractOptions) => Promise<void>;
  };
}

/** The options of every command that reads the released contracts. */
export interface ContractOptions {
  contract: string;
  released?: string;
  changelog?: string;
}

type Checking = Selection & { format: CheckFormat };
type Comparing = Selection & {
  format: ChangesFormat;
  failOn?: Impact;
  output?: string;
  comment?: true;
  labels: string[];
};

const LABELS = ["breaking change", "contract change"];

/** A summary of GitHub has at most 1 MiB, and a character of it at most three bytes. */
const MAX_SUMMARY = 300_000;

export const CONTRACT = new Option("--contract <file>", "the contract").default(
  CONTRACT_FILE,
  relative(ROOT, CONTRACT_FILE),
);
const SELECTED = new Option(
  "--contract <contract>",
  `one contract, by its path or its name in ${CONTRACT_LIST} (default: all of that, else "${relative(ROOT, CONTRACT_FILE)}")`,
);
const ALONE = ["[contract]", "the same as --contract"] as const;
const RELEASED = new Option(
  "--released <folder>",
  "the folder of the released contracts (default: released, beside the contract)",
);
export const CHANGELOG = new Option("--changelog <file>", "the changelog (default: CHANGELOG.md, beside the contract)");

/** Creates the program. The caller may add commands to it, and runs it. */
export function contractProgram({ name, call, folder, additions }: ContractProgram): Command {
  const program = createProgram(name, {
    description: "Checks a contract, compares it before a merge, and releases it.",
    folder,
    examples: ["check", "diff HEAD", "diff old.yaml new.yaml --fail-on breaking"].map((words) => `${call} ${words}`),
  });
  const moreChecks = (options: ContractOptions) => (document: BundledDocument) =>
    additions?.checks(document, options) ?? [];

  program
    .command("lint")
    .description("check the rules, the examples and the deprecations of the contract")
    .argument(...ALONE)
    .addOption(SELECTED)
    .addOption(formatOption(CHECK_FORMATS))
    .action((alone: string | undefined, options: Checking) =>
      checkEach(alone, options, ({ contract }) => lintContract(contract)),
    );

  const check = selectingCommand(
    program,
    "check",
    "check what `lint` checks, and the compatibility with the last release",
  )
    .argument(...ALONE)
    .addOption(formatOption(CHECK_FORMATS))
    .action((alone: string | undefined, options: Checking) =>
      checkEach(alone, options, (entry) => {
        const own = entry.name === undefined ? { ...options, ...entry } : entry; // the options of others are for one contract
        return checkContract({ ...entry, moreChecks: moreChecks(own) });
      }),
    );

  selectingCommand(program, "diff", "list the changes from the last release, or from another contract")
    .argument("[base]", "the contract at a git revision, such as HEAD or origin/main; a file, a folder or a URL")
    .argument("[other]", "in place of the contract: a git revision, a file, a folder or a URL")
    .addOption(formatOption(CHANGES_FORMATS))
    .option("--output <file>", "also write the whole report to a file; the printed Markdown fits a comment on GitHub")
    .addOption(
      new Option("--fail-on <impact>", "exit with 1 for such changes and worse, unless approved").choices(IMPACTS),
    )
    .option("--comment", "also write the changes to one comment of the pull request on GitHub, and label it")
    .addOption(
      new Option("--labels <breaking,any>", "the labels of --comment for breaking changes, and for any change")
        .default(LABELS, LABELS.join(","))
        .argParser((names) => names.split(",").map((label) => label.trim())),
    )
    .action(async (base: string | undefined, other: string | undefined, options: Comparing) => {
      const { format, failOn, output, comment, labels, ...selection } = options;
      const reports: Report<Entry>[] = [];
      for (const entry of await selectedContracts(selection, base, other)) {
        const changes = await changesSince(base ?? entry.base, entry, other);
        reports.push({ name: entry.name, items: entriesOf(changes) });
      }
      if (output !== undefined)
        await writeFile(output, `${formatEntryReports(reports, format, { isWhole: true }).trimEnd()}\n`);
      print(formatEntryReports(reports, format, { rest: output }));
      const changes = reports.flatMap(({ items }) => items).flatMap((entry) => entry.changes);
      const isFailing = (impact: Impact) => IMPACTS.indexOf(impact) <= IMPACTS.indexOf(failOn!);
      if (changes.some(({ impact, approval }) => !approval && isFailing(impact))) process.exitCode = 1;
      if (!comment && format !== "github") return;
      await summarize(formatEntryReports(reports, "markdown", { isWhole: true, maxLength: MAX_SUMMARY }));
      const text = formatEntryReports(reports, "markdown", { rest: output ?? "the summary of the job" });
      const key = selection.contract ?? "";
      if (comment) console.error(await reportOnPullRequest({ key, text, changes, labels }));
    });

  contractCommand(
    program,
    "changelog",
    "write the changes of each version, and those since the last release, for the users of the contract",
  )
    .addOption(CHANGELOG)
    .option("--check", "write nothing; fail if the changelog is not up to date", false)
    .option("--print", "write nothing; print the entry of the changes since the last release", false)
    .action(async (given: ContractOptions & { check: boolean; print: boolean }) => {
      const options = await asListed(given);
      const document = await bundle(options.contract);
      if (options.print) return print(await nextEntry(document, options.contract, releasedFolder(options)));
      const isCurrent = await updateChangelog(document, options, options.check);
      const file = relative(ROOT, changelogOf(options));
      if (options.check && !isCurrent) process.exitCode = 1;
      if (isCurrent) print(`${file} is up to date.`);
      else print(options.check ? `${file} is not up to date. Run \`${call} changelog\`.` : `Wrote ${file}.`);
    });

  const releasing = contractCommand(
    program,
    "release",
    "save the contract as released and write its changelog, if the contract passes every check",
  )
    .addOption(CHANGELOG)
    .action(async (given: ContractOptions) => {
      const options = await asListed(given);
      const found = await checkContract({ ...options, moreChecks: moreChecks(options), isRelease: true });
      if (!found.every(hasPassed)) return reportChecks([{ items: found }], "text");
      const document = await bundle(options.contract);
      const file = await release(document, releasedFolder(options));
      await updateChangelog(document, options);
      await additions?.afterRelease(document, options);
      print(`Released as ${relative(ROOT, file)}. Commit it with ${relative(ROOT, changelogOf(options))}.`);
    });
  if (additions) {
    check.addOption(CHANGELOG).addOption(additions.option);
    releasing.addOption(additions.option);
  }
  return program;
}

/** Returns the options with the files of their contract in `contracts.yaml`, if it is there. */
async function asListed<Options extends ContractOptions>(options: Options): Promise<Options> {
  const [entry] = await selectedContracts(options);
  return { ...options, ...entry };
}

/** Returns the folder of the released contracts. */
export function releasedFolder({ contract, released }: ContractOptions): string {
  return released ?? releasedBeside(contract);
}

export function changelogOf({ contract, changelog }: ContractOptions): string {
  return changelog ?? changelogBeside(contract);
}

/** Writes the changelog if it is not up to date, unless it is only checked. Returns whether it was. */
async function updateChangelog(document: BundledDocument, options: ContractOptions, isCheck = false): Promise<boolean> {
  const file = changelogOf(options);
  const text = await readChangelog(file);
  const updated = await updatedChangelog(text, document, options.contract, releasedFolder(options));
  if (!isCheck && updated !== text) await writeFile(file, updated);
  return updated === text;
}

/** Adds a command that reads the contract and the released ones. */
export function contractCommand(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).addOption(CONTRACT).addOption(RELEASED);
}

/** Adds a command that reads the contract or each of a list, and the released ones. */
function selectingCommand(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).addOption(SELECTED).addOption(RELEASED);
}

/** Returns the option that names one of some formats; the default is text. */
export function formatOption(formats: readonly string[]): Option {
  return new Option("--format <format>", "the format of what is printed").choices(formats).default("text");
}

async function checkEach(
  alone: string | undefined,
  { format, ...given }: Checking,
  check: (entry: ContractEntry) => Promise<Check[]>,
): Promise<void> {
  const reports: Report<Check>[] = [];
  const selection = alone === undefined ? given : { ...given, contract: alone };
  for (const entry of await selectedContracts(selection)) reports.push({ name: entry.name, items: await check(entry) });
  reportChecks(reports, format);
}

function reportChecks(reports: Report<Check>[], format: CheckFormat): void {
  print(formatCheckReports(reports, format));
  if (!reports.flatMap(({ items }) => items).every(hasPassed)) process.exitCode = 1;
}

async function changesSince(base: string | undefined, entry: ContractEntry, other?: string): Promise<ContractChange[]> {
  const { contract } = entry;
  const [before, after] = await Promise.all([
    base === undefined ? releasedContract(entry) : contractAt(base, entry.before ?? contract),
    other === undefined ? contractHere(contract) : contractAt(other, contract),
  ]);
  if (before && after) return contractChanges(before.document, after.document, after.file);
  if (!before && !after) throw new Error(`There is no contract ${relative(ROOT, contract)} to compare.`);
  return wholeChange(contract, before === undefined);
}

async function contractHere(file: string): Promise<Side | undefined> {
  return existsSync(file) ? { document: await bundle(file), file } : undefined;
}

/** Returns the last release. A contract of a list that has none is reported as added. */
async function releasedContract(entry: ContractEntry): Promise<Side | undefined> {
  const last = await lastReleased(releasedFolder(entry));
  if (last === undefined && entry.name === undefined)
    throw new Error("Nothing is released yet. Name a git revision to compare with.");
  return last;
}

function print(text: string): void {
  if (text !== "") console.log(text.trimEnd());
}
