/** `pnpm adopt <contract> --name <name>`: turns a clone of the repository into that of another contract. */
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { NAME } from "@platform/name";
import { adopt } from "./adopt.ts";
import { readContract } from "./contract.ts";
import { contractFiles } from "@platform/contract-tools/contract-files";
import { namesOf } from "./names.ts";
import { planText, summaryText } from "./summary.ts";
import { petstoreFiles, repositoryAt } from "./workspace.ts";

const HELP = `Turns this clone into the repository of another contract.

  npx -y pnpm@12.21.0 adopt <contract> --name <name> [--yes]

  <contract>      an OpenAPI 3 document in YAML or JSON; files that it refers to are brought along
  --name <name>   the name of the service, such as museum: its command, its packages, its settings
  --yes           do not ask before files are removed
  --help          print this text

The work tree must be clean, so that git can undo everything: git reset --hard`;

/** Invalid arguments. */
class UsageError extends Error {}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function main(): Promise<void> {
  const { contract, name, yes, help } = readArguments();
  if (help) return console.log(HELP);
  const repository = repositoryAt(resolve(import.meta.dirname, "../../.."));
  if (NAME !== ("petstore" as string))
    throw new Error(
      `This repository is already that of ${NAME}. Clone the platform's repository to adopt another contract.`,
    );
  const names = namesOf(name);
  if (repository.git("status", "--porcelain") !== "")
    throw new Error(
      "The work tree has changes. Commit or stash them first, so that git can undo what this command does.",
    );
  console.log(`Reading ${contract}`);
  const files = contractFiles(contract);
  const read = await readContract(contract);
  const removed = petstoreFiles(repository);
  console.log(planText(contract, names, files, read, removed));
  if (!yes && !(await isConfirmed(removed.length))) {
    console.log("Nothing was changed.");
    process.exitCode = 1;
    return;
  }
  const result = await adopt(repository, names, files, read, removed, (step) => console.log(step));
  console.log(summaryText(names, read, result));
}

function readArguments(): { contract: string; name: string; yes: boolean; help: boolean } {
  const options = {
    name: { type: "string" },
    yes: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  } as const;
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${HELP}`);
  }
  const { values, positionals } = parsed;
  const { name = "", yes = false, help = false } = values;
  if (!help && (positionals.length !== 1 || name === ""))
    throw new UsageError(`Name one contract, and the service with --name.\n\n${HELP}`);
  return { contract: positionals[0] ?? "", name, yes, help };
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
