/** `pnpm contract`: generates from the contract, checks and compares it before a merge, and releases it. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { createProgram, PNPM, runProgram } from "@platform/command-line";
import { type Command, Option } from "commander";
import type { OpenAPI3 } from "openapi-typescript";
import { bundle, CONTRACT_FILE } from "./generate/bundle.ts";
import { changelogEntry, type Format, formatChanges, formatChecks, formatMarkdown, hasPassed } from "./output.ts";
import { type Check, checkContract, lintContract } from "./release/check.ts";
import { committedContract, type ContractChange, contractChanges } from "./comparison/compare.ts";
import { GENERATED_FOLDER, generatedFiles, writeOrCheck } from "./generate/generated-files.ts";
import { ROOT } from "./paths.ts";
import { lastReleased, nextVersionProblem, release, RELEASED_FOLDER } from "./release/released.ts";

interface Options {
  contract: string;
  released: string;
  generated: string;
  json?: true;
  github?: true;
  markdown?: true;
}

const JSON_OUTPUT = new Option("--json", "print JSON").conflicts("github");
const GITHUB_OUTPUT = new Option("--github", "print annotations of a pull request on GitHub");
const MARKDOWN_OUTPUT = new Option("--markdown", "print a summary for reviewers").conflicts(["json", "github"]);
const CONTRACT = pathOption("--contract <file>", "the contract", CONTRACT_FILE);
const GENERATED = pathOption("--generated <folder>", "the folder of the generated files", GENERATED_FOLDER);

const program = createProgram("contract", {
  description: "Generates from the contract, checks, compares and releases it.",
  folder: import.meta.dirname,
  examples: [`${PNPM} contract check`, `${PNPM} contract diff HEAD`, `${PNPM} contract diff origin/main --markdown`],
});

program
  .command("generate")
  .description("generate types and data from the contract")
  .addOption(CONTRACT)
  .addOption(GENERATED)
  .option("--check", "write nothing; fail if a generated file differs, or if the folder has another file", false)
  .action(async ({ contract, generated, check }: Options & { check: boolean }) =>
    writeOrCheck(await generatedFiles(await bundle(contract)), generated, check),
  );

program
  .command("lint")
  .description("check the rules, the examples and the deprecations of the contract")
  .addOption(CONTRACT)
  .addOption(JSON_OUTPUT)
  .addOption(GITHUB_OUTPUT)
  .action(async (options: Options) => reportChecks(await lintContract(options.contract), options));

command("check", "check lint, examples, deprecations, generated files, compatibility with the last release")
  .addOption(JSON_OUTPUT)
  .addOption(GITHUB_OUTPUT)
  .addOption(GENERATED)
  .action(async (options: Options) => reportChecks(await checkContract(options), options));

command("diff", "list the changes since the last release, or since a git revision or another file")
  .argument("[base]", "a git revision, such as HEAD or origin/main, or a file")
  .addOption(JSON_OUTPUT)
  .addOption(GITHUB_OUTPUT)
  .addOption(MARKDOWN_OUTPUT)
  .action(async (base: string | undefined, options: Options) => {
    const changes = await changesSince(base, options);
    print(options.markdown ? formatMarkdown(changes) : formatChanges(changes, formatOf(options)));
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
  .addOption(GITHUB_OUTPUT)
  .action(async (options: Options) => {
    const changes = (await lastReleased(options.released)) ? await changesSince(undefined, options) : [];
    const { readChangesets } = await import("@changesets/read");
    const problem = nextVersionProblem(changes, await readChangesets(ROOT));
    if (problem === undefined) return;
    print(options.github ? `::error title=The client's version::${problem}` : problem);
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

function formatOf({ json, github }: Options): Format {
  if (json) return "json";
  return github ? "github" : "text";
}

function reportChecks(checks: Check[], options: Options): void {
  print(formatChecks(checks, formatOf(options)));
  if (!checks.every(hasPassed)) process.exitCode = 1;
}

async function changesSince(base: string | undefined, { contract, released }: Options): Promise<ContractChange[]> {
  const [before, after] = await Promise.all([baseDocument(base, released), bundle(contract)]);
  return contractChanges(before, after, contract);
}

async function baseDocument(base: string | undefined, released: string): Promise<OpenAPI3> {
  if (base !== undefined) return existsSync(base) ? bundle(base) : committedContract(base);
  const last = await lastReleased(released);
  if (last === undefined) throw new Error("Nothing is released yet. Name a git revision to compare with.");
  return last.document;
}

function print(text: string): void {
  if (text !== "") console.log(text.trimEnd());
}
