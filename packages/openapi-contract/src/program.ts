/** The commands on a contract: check it, compare it before a merge, and release it. */
import { relative } from "node:path";
import { createProgram } from "@openapi-operations/command-line";
import { type Command, Option } from "commander";
import { bundle, type BundledDocument, CONTRACT_FILE } from "./bundle.ts";
import { CHECK_FORMATS, type CheckFormat, formatChecks, hasPassed } from "./check-formats.ts";
import { changelogEntry, CHANGES_FORMATS, type ChangesFormat, formatChanges } from "./output.ts";
import { type Check, checkContract, lintContract } from "./release/check.ts";
import { type ContractChange, contractChanges, type Impact, IMPACTS } from "./comparison/compare.ts";
import { contractAt } from "./comparison/sides.ts";
import { ROOT } from "./paths.ts";
import { lastReleased, release, type Released, releasedBeside } from "./release/released.ts";

/** The program that has the commands. */
export interface ContractProgram {
  /** Its name in the usage. */
  name: string;
  /** How it is called, for the examples. */
  call: string;
  /** The folder of its module, in the package whose version `--version` prints. */
  folder: string;
  /** Checks of the program's own, and the option that they read. */
  checks?: { option: Option; run: (document: BundledDocument, options: ContractOptions) => Promise<Check>[] };
}

/** The options of every command that reads the released contracts. */
export interface ContractOptions {
  contract: string;
  released?: string;
}

type Checking = ContractOptions & { format: CheckFormat };
type Comparing = ContractOptions & { format: ChangesFormat; failOn?: Impact };

export const CONTRACT = new Option("--contract <file>", "the contract").default(
  CONTRACT_FILE,
  relative(ROOT, CONTRACT_FILE),
);
const RELEASED = new Option(
  "--released <folder>",
  "the folder of the released contracts (default: released, beside the contract)",
);

/** Creates the program. The caller may add commands to it, and runs it. */
export function contractProgram({ name, call, folder, checks }: ContractProgram): Command {
  const program = createProgram(name, {
    description: "Checks a contract, compares it before a merge, and releases it.",
    folder,
    examples: ["check", "diff HEAD", "diff old.yaml new.yaml --fail-on breaking"].map((words) => `${call} ${words}`),
  });
  const moreChecks = (options: ContractOptions) => (document: BundledDocument) => checks?.run(document, options) ?? [];

  program
    .command("lint")
    .description("check the rules, the examples and the deprecations of the contract")
    .addOption(CONTRACT)
    .addOption(formatOption(CHECK_FORMATS))
    .action(async ({ contract, format }: Checking) => reportChecks(await lintContract(contract), format));

  const check = contractCommand(
    program,
    "check",
    "check what `lint` checks, and the compatibility with the last release",
  )
    .addOption(formatOption(CHECK_FORMATS))
    .action(async (options: Checking) =>
      reportChecks(await checkContract({ ...options, moreChecks: moreChecks(options) }), options.format),
    );

  contractCommand(program, "diff", "list the changes from the last release, or from another contract")
    .argument("[base]", "the contract at a git revision, such as HEAD or origin/main; a file, a folder or a URL")
    .argument("[other]", "in place of the contract: a git revision, a file, a folder or a URL")
    .addOption(formatOption(CHANGES_FORMATS))
    .addOption(
      new Option("--fail-on <impact>", "exit with 1 for such changes and worse, unless approved").choices(IMPACTS),
    )
    .action(async (base: string | undefined, other: string | undefined, options: Comparing) => {
      const changes = await changesSince(base, options, other);
      print(formatChanges(changes, options.format));
      const isFailing = (impact: Impact) => IMPACTS.indexOf(impact) <= IMPACTS.indexOf(options.failOn!);
      if (changes.some(({ impact, approval }) => !approval && isFailing(impact))) process.exitCode = 1;
    });

  contractCommand(program, "changelog", "print the changelog entry for the users of the contract, as Markdown").action(
    async (options: ContractOptions) => {
      const { info } = await bundle(options.contract);
      const last = await lastReleased(releasedFolder(options));
      print(
        last === undefined
          ? `## ${info.version}\n\nThe first release.`
          : changelogEntry(info.version, await changesSince(undefined, options)),
      );
    },
  );

  const releasing = contractCommand(
    program,
    "release",
    "save the contract as released, if it passes every check",
  ).action(async (options: ContractOptions) => {
    const found = await checkContract({ ...options, moreChecks: moreChecks(options), isRelease: true });
    if (!found.every(hasPassed)) return reportChecks(found, "text");
    const file = await release(await bundle(options.contract), releasedFolder(options));
    print(`Released as ${relative(ROOT, file)}. Commit it.`);
  });
  if (checks) for (const command of [check, releasing]) command.addOption(checks.option);
  return program;
}

/** Returns the folder of the released contracts. */
export function releasedFolder({ contract, released }: ContractOptions): string {
  return released ?? releasedBeside(contract);
}

/** Adds a command that reads the contract and the released ones. */
export function contractCommand(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).addOption(CONTRACT).addOption(RELEASED);
}

function formatOption(formats: readonly string[]): Option {
  return new Option("--format <format>", "the format of what is printed").choices(formats).default("text");
}

function reportChecks(checks: Check[], format: CheckFormat): void {
  print(formatChecks(checks, format));
  if (!checks.every(hasPassed)) process.exitCode = 1;
}

async function changesSince(
  base: string | undefined,
  options: ContractOptions,
  other?: string,
): Promise<ContractChange[]> {
  const { contract } = options;
  const [before, after] = await Promise.all([
    base === undefined ? releasedContract(options) : contractAt(base, contract),
    other === undefined ? { document: await bundle(contract), file: contract } : contractAt(other, contract),
  ]);
  return contractChanges(before.document, after.document, after.file);
}

async function releasedContract(options: ContractOptions): Promise<Released> {
  const last = await lastReleased(releasedFolder(options));
  if (last === undefined) throw new Error("Nothing is released yet. Name a git revision to compare with.");
  return last;
}

function print(text: string): void {
  if (text !== "") console.log(text.trimEnd());
}
