#!/usr/bin/env node
/** `pnpm contract`: the commands of `openapi-contract`, and those of a service that is generated from its contract. */
import { relative } from "node:path";
import { runProgram, scriptCommand } from "@openapi-operations/command-line";
import { Option } from "commander";
import { bundle } from "openapi-contract/bundle";
import { contractChanges } from "openapi-contract/comparison";
import { ROOT } from "openapi-contract/paths";
import {
  CHANGELOG,
  changelogOf,
  CONTRACT,
  contractCommand,
  type ContractOptions,
  contractProgram,
  formatOption,
  releasedFolder,
} from "openapi-contract/program";
import { lastReleased } from "openapi-contract/released";
import { nextVersion } from "./next-version.ts";
import { GENERATED_FOLDER } from "./paths.ts";
import { generatedCheck, schemaCheck } from "./service-checks.ts";

type Generating = ContractOptions & { generated: string };

const GENERATED = new Option("--generated <folder>", "the folder of the generated files").default(
  GENERATED_FOLDER,
  relative(ROOT, GENERATED_FOLDER),
);

const program = contractProgram({
  name: "contract",
  call: scriptCommand("contract"),
  folder: import.meta.dirname,
  additions: {
    option: GENERATED,
    checks: (document, options) => {
      const { generated } = options as Partial<Generating>; // absent for a contract of a list
      const isGenerated = generated === undefined ? [] : [generatedCheck(document, changelogOf(options), generated)];
      return [schemaCheck(document), ...isGenerated];
    },
    afterRelease: async (document, options) => {
      const { generatedFiles, write } = await import("./generate/generated-files.ts");
      await write(await generatedFiles(document, changelogOf(options)), (options as Generating).generated);
    },
  },
});

program
  .command("generate")
  .description("generate types and data from the contract")
  .addOption(CONTRACT)
  .addOption(GENERATED)
  .addOption(CHANGELOG)
  .option("--check", "write nothing; fail if a generated file differs, or if the folder has another file", false)
  .action(async (options: Generating & { check: boolean }) => {
    const { generatedFiles, writeOrCheck } = await import("./generate/generated-files.ts");
    const files = await generatedFiles(await bundle(options.contract), changelogOf(options));
    await writeOrCheck(files, options.generated, options.check);
  });

contractCommand(
  program,
  "next-version",
  "check that the changesets give the client the version that the changes require",
)
  .addOption(formatOption(["text", "github"]))
  .action(async (options: ContractOptions & { format: "text" | "github" }) => {
    const last = await lastReleased(releasedFolder(options));
    const { contract } = options;
    const show = (isEnough: boolean, message: string): void => {
      const annotation = `::${isEnough ? "notice" : "error"} title=The client's version::`;
      console.log(options.format === "github" ? annotation + message : message);
      process.exitCode = isEnough ? 0 : 1;
    };
    if (last === undefined) return show(true, "No contract is released yet, so the client needs no changeset.");
    const changes = await contractChanges(last.document, await bundle(contract), contract);
    const { readChangesets } = await import("@changesets/read");
    const { isEnough, message } = nextVersion(changes, await readChangesets(ROOT));
    show(isEnough, message);
  });

await runProgram(program);
