/** `pnpm adopt <contract> --name <name>`: turns a clone of the repository into that of another contract. */
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { createProgram, PNPM, runProgram } from "@platform/command-line";
import { NAME } from "@platform/command-line/name";
import { adopt } from "./adopt.ts";
import { readContract } from "./contract.ts";
import { contractFiles } from "./contract-files.ts";
import { type Names, namesOf } from "./names.ts";
import { planText, summaryText } from "./summary.ts";
import { petstoreFiles, repositoryAt } from "./workspace.ts";

const program = createProgram("adopt", {
  description:
    "Turns this clone into the repository of another contract. The work tree must be clean, so that git can undo everything.",
  folder: import.meta.dirname,
  examples: [`${PNPM} adopt ../museum.yaml --name museum`, "git reset --hard  # undoes it"],
})
  .argument("<contract>", "an OpenAPI 3 document in YAML or JSON; files that it refers to are brought along")
  .requiredOption("--name <name>", "the name of the service: its command, its packages, its settings", namesOf)
  .option("--yes", "do not ask before files are removed")
  .action(main);

await runProgram(program);

async function main(contract: string, { name: names, yes }: { name: Names; yes?: true }): Promise<void> {
  const repository = repositoryAt(resolve(import.meta.dirname, "../../.."));
  if (NAME !== ("petstore" as string))
    throw new Error(
      `This repository is already that of ${NAME}. Clone the platform's repository to adopt another contract.`,
    );
  if (repository.git("status", "--porcelain") !== "")
    throw new Error(
      "The work tree has changes. Commit or stash them first, so that git can undo what this command does.",
    );
  await print(`Reading ${contract}`);
  const files = contractFiles(contract);
  const read = await readContract(contract);
  const removed = petstoreFiles(repository);
  console.log(planText(contract, names, files, read, removed));
  if (!yes && !(await isConfirmed(removed.length))) {
    console.log("Nothing was changed.");
    process.exitCode = 1;
    return;
  }
  const result = await adopt(repository, names, files, read, removed, print);
  console.log(summaryText(names, read, result));
}

/** Prints a line before the next step begins, which may block the process: on some systems, pipes are written later. */
async function print(line: string): Promise<void> {
  await new Promise<void>((done) => process.stdout.write(`${line}\n`, () => done()));
}

/** Asks before files are removed. Without a terminal nobody can answer, so nothing is removed. */
async function isConfirmed(count: number): Promise<boolean> {
  const question = `Remove ${count} files of the petstore and write the others? Type yes to go on: `;
  if (!process.stdin.isTTY) {
    console.log(`${question}\nThere is no terminal to answer. Add --yes to go on.`);
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
