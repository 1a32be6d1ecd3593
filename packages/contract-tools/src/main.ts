#!/usr/bin/env node
/** `pnpm contract`: generates from the contract, checks and compares it before a merge, and releases it. */
import { relative } from "node:path";
import { createProgram, runProgram, scriptCommand } from "@openapi-operations/command-line";
import { type Command, Option } from "commander";
import { bundle, CONTRACT_FILE } from "./generate/bundle.ts";
import { CHECK_FORMATS, type CheckFormat, formatChecks, hasPassed } from "./check-formats.ts";
import { changelogEntry, CHANGES_FORMATS, type ChangesFormat, formatChanges } from "./output.ts";
import { type Check, checkContract, lintContract } from "./release/check.ts";
import { type ContractChange, contractChanges, type Impact, IMPACTS } from "./comparison/compare.ts";
import { contractAt, type Side } from "./comparison/sides.ts";
import { GENERATED_FOLDER, ROOT } from "./paths.ts";
import { lastReleased, nextVersionProblem, release, RELEASED_FOLDER } from "./release/released.ts";

interface Options {
  contract: string;
  released: string;
  generated: string;
}

type Checking = Options & { format: CheckFormat };
type Comparing = Options & { format: ChangesFormat; failOn?: Impact };

const CONTRACT = pathOption("--contract <file>", "the contract", CONTRACT_FILE);
const GENERATED = pathOption("--generated <folder>", "the folder of the generated files", GENERATED_FOLDER);

const program = createProgram("contract", {
  description: "Generates from the contract, checks, compares and releases it.",
  folder: import.meta.dirname,
  examples: ["check", "diff HEAD", "diff origin/main --format markdown"].map((words) =>
    scriptCommand(`contract ${words}`),
  ),
});

program
  .command("generate")
  .description("generate types and data from the contract")
  .addOption(CONTRACT)
  .addOption(GENERATED)
  .option("--check", "write nothing; fail if a generated file differs, or if the folder has another file", false)
  .action(async ({ contract, generated, check }: Options & { check: boolean }) => {
    const { generatedFiles, writeOrCheck } = await import("./generate/generated-files.ts");
    await writeOrCheck(await generatedFiles(await bundle(contract)), generated, check);
  });

program
  .command("lint")
  .description("check the rules, the examples and the deprecations of the contract")
  .addOption(CONTRACT)
  .addOption(formatOption(CHECK_FORMATS))
  .action(async ({ contract, format }: Checking) => reportChecks(await lintContract(contract), format));

command("check", "check lint, examples, deprecations, generated files, compatibility with the last release")
  .addOption(formatOption(CHECK_FORMATS))
  .addOption(GENERATED)
  .action(async (options: Checking) => reportChecks(await checkContract(options), options.format));

command("diff", "list the changes from the last release, or from another contract")
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

command("changelog", "print the changelog entry for the users of the contract, as Markdown").action(
  async (options: Options) => {
    const { info } = await bundle(options.contract);
    const last = await lastReleased(options.released);
    print(
      last === undefined
        ? `## ${info.version}\n\nThe first release.`
        : changelogEntry(info.version, await changesSince(undefined, options)),
    );
  },
);

command("next-version", "check that the changesets give the client the version that the changes require")
  .addOption(formatOption(["text", "github"]))
  .action(async (options: Options & { format: "text" | "github" }) => {
    const changes = (await lastReleased(options.released)) ? await changesSince(undefined, options) : [];
    const { readChangesets } = await import("@changesets/read");
    const problem = nextVersionProblem(changes, await readChangesets(ROOT));
    if (problem === undefined) return;
    print(options.format === "github" ? `::error title=The client's version::${problem}` : problem);
    process.exitCode = 1;
  });

command("release", "save the contract as released, if it passes every check")
  .addOption(GENERATED)
  .action(async (options: Options) => {
    const checks = await checkContract({ ...options, isRelease: true });
    if (!checks.every(hasPassed)) {
      print(formatChecks(checks, "text"));
      process.exitCode = 1;
      return;
    }
    const file = await release(await bundle(options.contract), options.released);
    print(`Released as ${relative(ROOT, file)}. Commit it.`);
  });

await runProgram(program);

function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .addOption(CONTRACT)
    .addOption(pathOption("--released <folder>", "the folder of the released contracts", RELEASED_FOLDER));
}

function pathOption(flags: string, description: string, path: string): Option {
  return new Option(flags, description).default(path, relative(ROOT, path));
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
  { contract, released }: Options,
  other?: string,
): Promise<ContractChange[]> {
  const [before, after] = await Promise.all([
    base === undefined ? releasedContract(released) : contractAt(base, contract),
    other === undefined ? { document: await bundle(contract), file: contract } : contractAt(other, contract),
  ]);
  return contractChanges(before.document, after.document, after.file);
}

async function releasedContract(folder: string): Promise<Side> {
  const last = await lastReleased(folder);
  if (last === undefined) throw new Error("Nothing is released yet. Name a git revision to compare with.");
  return last;
}

function print(text: string): void {
  if (text !== "") console.log(text.trimEnd());
}
